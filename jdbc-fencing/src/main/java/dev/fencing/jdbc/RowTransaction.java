package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** One try of row operations in a transaction of their own; no user code runs in it. */
final class RowTransaction {

  /** Gives the SQL for a connection's database. */
  @FunctionalInterface
  interface Finder {
    RowSql find(Connection connection) throws SQLException;
  }

  private final List<RowOperation> operations;
  private final Duration bound;

  RowTransaction(List<RowOperation> operations, Duration bound) {
    this.operations = operations;
    this.bound = bound;
  }

  /**
   * Commits if all operations have passed, and else rolls back.
   *
   * @throws SQLException if it failed and nothing was written
   * @throws UnknownOutcomeException if COMMIT was sent and not answered
   */
  List<RowResult> run(DataSource dataSource, Finder finder) throws SQLException {
    try (LocalTransaction transaction = new LocalTransaction(dataSource.getConnection())) {
      Connection connection = transaction.connection();
      transaction.limitSilence(bound.plus(LocalTransaction.GRACE));
      RowSql sql = finder.find(connection);
      RowSql.Undo undo = sql.prepare(connection);
      List<RowResult> results;
      try {
        results = sql.run(connection, operations, bound, true);
        if (results.stream().allMatch(result -> result.outcome().isApplied())) {
          commit(transaction, sql);
        } else {
          connection.rollback();
        }
      } catch (SQLException | RuntimeException e) {
        undoAfter(connection, undo, e);
        throw e;
      }
      putBack(connection, undo);
      return results;
    }
  }

  private void commit(LocalTransaction transaction, RowSql sql) throws SQLException {
    try {
      transaction.commit();
    } catch (SQLException e) {
      if (sql.commitMayHaveHappened(transaction.connection(), e)) {
        throw unknown(operations, e);
      }
      throw e;
    } catch (RuntimeException | Error e) {
      throw unknown(operations, e);
    }
  }

  static UnknownOutcomeException unknown(List<RowOperation> operations, Throwable cause) {
    return new UnknownOutcomeException(
        "COMMIT of the %s was sent and its answer never came (%s): it may be durable, or land later, or never. Acquire the lock anew, or with a claim column claim the row again, which waits for it; and read before you repeat anything"
            .formatted(RowAccess.inWords(operations), cause),
        cause);
  }

  /** The rollback comes first: a changed setting may commit what is open. */
  private static void undoAfter(Connection connection, RowSql.Undo undo, Throwable failure) {
    try {
      if (!connection.isClosed()) {
        connection.rollback();
        undo.run();
      }
    } catch (SQLException | RuntimeException e) {
      LocalTransaction.abort(connection, failure);
      failure.addSuppressed(e);
    }
  }

  private static void putBack(Connection connection, RowSql.Undo undo) {
    try {
      undo.run();
    } catch (SQLException | RuntimeException e) {
      // The outcome is certain; a connection with somebody else's settings serves nobody.
      LocalTransaction.abort(connection, e);
    }
  }
}
