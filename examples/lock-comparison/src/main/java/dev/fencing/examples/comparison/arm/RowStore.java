package dev.fencing.examples.comparison.arm;

import dev.fencing.jdbc.FencedRow;
import dev.fencing.jdbc.FencedTable;
import dev.fencing.jdbc.StaleTokenException;
import java.util.Map;
import javax.sql.DataSource;

/** Row mode: a claim raises the fence of the row and reads it as one step. */
final class RowStore implements Store {

  private final FencedTable table;
  private final Workload workload;

  RowStore(DataSource dataSource, Workload workload) {
    this.table = FencedTable.builder(dataSource, workload.table()).key("id").build();
    this.workload = workload;
  }

  @Override
  public Work begin(String row, long token) throws RefusedException {
    try {
      return new Claimed(table.claim(token, row));
    } catch (StaleTokenException e) {
      throw new RefusedException(e);
    }
  }

  private final class Claimed implements Work {

    private final FencedRow claimed;

    private Claimed(FencedRow claimed) {
      this.claimed = claimed;
    }

    @Override
    public long read() {
      return claimed.getLong(workload.column());
    }

    @Override
    public void write(long value) throws RefusedException {
      try {
        claimed.write(Map.of(workload.column(), value));
      } catch (StaleTokenException e) {
        throw new RefusedException(e);
      }
    }
  }
}
