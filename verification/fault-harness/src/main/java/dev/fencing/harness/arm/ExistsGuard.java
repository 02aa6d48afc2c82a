package dev.fencing.harness.arm;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Mutant: a sub-select looks at the fence and locks nothing, so a raise does not wait. */
final class ExistsGuard extends HandWritten {

  ExistsGuard(Job job) {
    super(job);
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    inTransaction(
        connection -> {
          for (String key : change.cells().keySet()) {
            update(connection, change, key);
          }
          pause.beforeCommit(connection);
        });
  }

  private void update(Connection connection, Change change, String key)
      throws SQLException, RefusedException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE guarded SET "
                + Tables.SET
                + " WHERE key = ? AND EXISTS (SELECT 1 FROM hand_fence f"
                + " WHERE f.resource = ? AND f.token = ?)")) {
      int i = 1;
      for (Object value : Tables.parameters(change, change.cell(key))) {
        update.setObject(i++, value);
      }
      update.setString(i++, key);
      update.setString(i++, job.resource());
      update.setLong(i, change.token());
      if (update.executeUpdate() == 0) {
        throw new RefusedException("the fence of " + job.resource() + " is at another token");
      }
    }
  }
}
