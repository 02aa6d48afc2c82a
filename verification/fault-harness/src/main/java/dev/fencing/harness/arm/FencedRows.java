package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import dev.fencing.jdbc.FencedRow;
import dev.fencing.jdbc.FencedTable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** P2: each row carries its fence; a claim raises it and reads, and only its handle writes. */
final class FencedRows implements Guard {

  private final FencedTable table;
  private final Job job;
  private final Map<String, FencedRow> claimed = new TreeMap<>();

  FencedRows(FencedTable table, Job job) {
    this.table = table;
    this.job = job;
  }

  @Override
  public Raise raises() {
    return Raise.CLAIM;
  }

  @Override
  public void raise() {
    claimed.clear();
    for (String key : job.reads()) {
      claimed.put(key, table.claim(job.grant().token(), key));
    }
  }

  @Override
  public Map<String, Row> read() {
    Map<String, Row> rows = new LinkedHashMap<>();
    claimed.forEach(
        (key, row) ->
            rows.put(
                key,
                new Row(
                    row.getLong("ver"),
                    Tables.value(job.workload(), String.valueOf(row.get("value"))))));
    return rows;
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    pause.beforeCommit(null);
    for (Map.Entry<String, Change.Cell> entry : change.cells().entrySet()) {
      FencedRow row = claimed.get(entry.getKey());
      if (row == null) {
        throw new IllegalStateException("row " + entry.getKey() + " was not claimed");
      }
      row.write(Tables.columns(change, entry.getValue()));
    }
  }

  /** The next round claims the row again, which waits for the write in doubt. */
  @Override
  public void recover() {}
}
