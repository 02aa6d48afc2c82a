package dev.fencing.harness.arm;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

/**
 * Mutant: the check comes after a savepoint. When a later statement fails and the work rolls back
 * to the savepoint, the lock of the check goes, too.
 */
final class SavepointBeforeCheck extends HandWritten {

  SavepointBeforeCheck(Job job) {
    super(job);
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    inTransaction(
        connection -> {
          Savepoint savepoint = connection.setSavepoint();
          check(connection, job.resource(), change.token());
          if (fails(connection)) {
            connection.rollback(savepoint);
          }
          Tables.write(connection, change, "", "");
          pause.beforeCommit(connection);
        });
  }

  /** Something that may go wrong, and does. */
  private static boolean fails(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 / 0");
      return false;
    } catch (SQLException expected) {
      return true;
    }
  }
}
