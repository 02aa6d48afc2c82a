package dev.fencing.examples.comparison.arm;

import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Guard mode: a row in a table of its own has the fence, and every transaction checks it first. */
final class GuardStore implements Store {

  private final JdbcFence fence;
  private final Workload workload;

  GuardStore(DataSource dataSource, Workload workload) {
    this.fence = JdbcFence.of(dataSource);
    this.workload = workload;
  }

  @Override
  public Work begin(String row, long token) throws RefusedException {
    try {
      return new Guarded(fence.raise(row, token), row);
    } catch (StaleTokenException e) {
      throw new RefusedException(e);
    }
  }

  private final class Guarded implements Work {

    private final FencedResource resource;
    private final String row;

    private Guarded(FencedResource resource, String row) {
      this.resource = resource;
      this.row = row;
    }

    @Override
    public long read() throws SQLException, RefusedException {
      try {
        return resource.inTransaction(
            connection -> Sql.query(connection, Sql.select(workload), row));
      } catch (StaleTokenException e) {
        throw new RefusedException(e);
      }
    }

    @Override
    public void write(long value) throws SQLException, RefusedException {
      try {
        resource.update(Sql.update(workload), value, row);
      } catch (StaleTokenException e) {
        throw new RefusedException(e);
      }
    }
  }
}
