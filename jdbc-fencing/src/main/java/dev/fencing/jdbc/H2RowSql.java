package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Row mode on H2 2.x, in its regular mode. */
final class H2RowSql extends LockingRowSql {

  @Override
  public Undo prepare(Connection connection) throws SQLException {
    int isolation = connection.getTransactionIsolation();
    if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
      return () -> {};
    }
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return () -> connection.setTransactionIsolation(isolation);
  }

  /** Milliseconds, 0 being no wait. */
  @Override
  long limit(Duration left) {
    return Math.max(1, left.toMillis());
  }

  @Override
  Undo limitWaits(Connection connection, long limit) throws SQLException {
    int before;
    try (PreparedStatement statement = connection.prepareStatement("SELECT LOCK_TIMEOUT()");
        ResultSet results = statement.executeQuery()) {
      results.next();
      before = results.getInt(1);
    }
    changeLimit(connection, limit);
    return () -> changeLimit(connection, before);
  }

  @Override
  void changeLimit(Connection connection, long limit) throws SQLException {
    execute(connection, "SET LOCK_TIMEOUT " + limit);
  }

  @Override
  boolean isSilentAboutUnchangedRows() {
    return false;
  }

  @Override
  public Dialect.Failure classify(SQLException failure) {
    return H2Errors.classify(failure);
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return H2Errors.commitMayHaveHappened(failure);
  }

  @Override
  public String howToFindBlockers() {
    return H2Errors.HOW_TO_FIND_BLOCKERS;
  }
}
