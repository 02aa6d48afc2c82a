package dev.fencing.examples.comparison.arm;

import java.sql.SQLException;
import javax.sql.DataSource;

/** SELECT and UPDATE, without a fence. */
final class PlainStore implements Store {

  private final DataSource dataSource;
  private final Workload workload;

  PlainStore(DataSource dataSource, Workload workload) {
    this.dataSource = dataSource;
    this.workload = workload;
  }

  @Override
  public Work begin(String row, long token) {
    return new Work() {
      @Override
      public long read() throws SQLException {
        return Sql.query(dataSource, Sql.select(workload), row);
      }

      @Override
      public void write(long value) throws SQLException {
        Sql.update(dataSource, Sql.update(workload), value, row);
      }
    };
  }
}
