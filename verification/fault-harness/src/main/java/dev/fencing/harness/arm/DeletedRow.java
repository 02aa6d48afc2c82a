package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * Mutant, row mode: the holder deletes the row when it is done, and the fence goes with it; the
 * late upsert of an older holder finds nothing to compare with.
 */
final class DeletedRow extends HandWritten {

  private static final String UPSERT =
      """
      INSERT INTO guarded AS g
        (key, resource, value, op_id, op_token, op_read_ver, op_old, fencing_token)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, op_id = excluded.op_id,
        op_token = excluded.op_token, op_read_ver = excluded.op_read_ver,
        op_old = excluded.op_old, fencing_token = excluded.fencing_token
      WHERE coalesce(g.fencing_token, 0) <= excluded.fencing_token
      """;

  DeletedRow(Job job) {
    super(job);
  }

  @Override
  public void raise() throws Exception {
    try (Connection connection = job.database().getConnection();
        PreparedStatement raise =
            connection.prepareStatement(
                "UPDATE guarded SET fencing_token = ? WHERE key = ?"
                    + " AND coalesce(fencing_token, 0) <= ?")) {
      raise.setLong(1, job.grant().token());
      raise.setString(2, job.reads().get(0));
      raise.setLong(3, job.grant().token());
      raise.executeUpdate();
    }
  }

  /** The row, or what it held when it was deleted. */
  @Override
  public Map<String, Row> read() throws Exception {
    Map<String, Row> there = super.read();
    return there.isEmpty() ? lastWritten() : there;
  }

  private Map<String, Row> lastWritten() throws SQLException {
    String key = job.reads().get(0);
    try (Connection connection = job.database().getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT ver, new FROM op_log WHERE key = ? ORDER BY ver DESC LIMIT 1")) {
      select.setString(1, key);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? Map.of(key, new Row(row.getLong(1), Tables.value(job.workload(), row.getString(2))))
            : Map.of(key, new Row(0, 0L));
      }
    }
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    inTransaction(
        connection -> {
          String key = change.cells().firstKey();
          Change.Cell cell = change.cell(key);
          try (PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
            int i = 1;
            upsert.setString(i++, key);
            upsert.setString(i++, job.resource());
            for (Object value : Tables.parameters(change, cell)) {
              upsert.setObject(i++, value);
            }
            upsert.setLong(i, change.token());
            if (upsert.executeUpdate() == 0) {
              throw new RefusedException("row " + key + " has seen a higher token");
            }
          }
          pause.beforeCommit(connection);
        });
  }

  @Override
  public void finish() throws Exception {
    try (Connection connection = job.database().getConnection();
        PreparedStatement delete =
            connection.prepareStatement(
                "DELETE FROM guarded WHERE key = ? AND coalesce(fencing_token, 0) <= ?")) {
      delete.setString(1, job.reads().get(0));
      delete.setLong(2, job.grant().token());
      delete.executeUpdate();
    }
  }
}
