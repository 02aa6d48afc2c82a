package dev.fencing.harness.arm;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * Mutant: tokens are compared without raise ids, and the holder raises its token again when in
 * doubt. A whole transaction that is still on its way then finds the fence as it was.
 */
final class RaisesAgain extends HandWritten {

  RaisesAgain(Job job) {
    super(job);
  }

  /** Check, write and COMMIT travel in one packet, as a thrifty client sends them. */
  @Override
  public void write(Change change, Pause pause) throws Exception {
    pause.beforeCommit(null);
    StringBuilder sql = new StringBuilder();
    sql.append(
        "DO $$ BEGIN PERFORM 1 FROM hand_fence WHERE resource = '%s' AND token = %d"
            .formatted(job.resource(), change.token()));
    sql.append(" FOR SHARE; IF NOT FOUND THEN RAISE 'stale' USING ERRCODE = 'FS001'; END IF; ");
    for (Map.Entry<String, Change.Cell> entry : change.cells().entrySet()) {
      Change.Cell cell = entry.getValue();
      sql.append(
          ("UPDATE guarded SET value = '%s', op_id = '%s', op_token = %d, op_read_ver = %d,"
                  + " op_old = '%s' WHERE key = '%s'; ")
              .formatted(
                  cell.fresh(),
                  change.op(),
                  change.token(),
                  cell.read().ver(),
                  cell.old(),
                  entry.getKey()));
    }
    sql.append("END $$ /* COMMIT */"); // In autocommit mode it is all a transaction.
    try (Connection connection = job.database().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.toString());
    } catch (SQLException e) {
      if ("FS001".equals(e.getSQLState())) {
        throw new RefusedException("the fence of " + job.resource() + " is at another token");
      }
      if (isSilence(e)) {
        throw new DoubtException(e);
      }
      throw e;
    }
  }

  @Override
  public void recover() throws Exception {
    try (Connection connection = job.database().getConnection()) {
      raise(connection, job.resource(), "<=");
    }
  }

  @Override
  public boolean renews() {
    return true;
  }
}
