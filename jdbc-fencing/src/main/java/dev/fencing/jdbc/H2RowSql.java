package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/** Row mode on H2 2.x, in its regular mode. */
final class H2RowSql extends LockingRowSql {

  private static final int LOCK_TIMEOUT = 50200;
  private static final int CONCURRENT_UPDATE = 90131;

  /** Broken, closed or shut down. */
  private static final Set<Integer> GONE = Set.of(90067, 90098, 90121, 90007);

  @Override
  public Undo prepare(Connection connection) throws SQLException {
    int isolation = connection.getTransactionIsolation();
    if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
      return () -> {};
    }
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return () -> connection.setTransactionIsolation(isolation);
  }

  @Override
  Undo limitWaits(Connection connection, Duration bound) throws SQLException {
    int before;
    try (PreparedStatement statement = connection.prepareStatement("SELECT LOCK_TIMEOUT()");
        ResultSet results = statement.executeQuery()) {
      results.next();
      before = results.getInt(1);
    }
    execute(connection, "SET LOCK_TIMEOUT " + Math.max(1, bound.toMillis()));
    return () -> execute(connection, "SET LOCK_TIMEOUT " + before);
  }

  @Override
  boolean isSilentAboutUnchangedRows() {
    return false;
  }

  @Override
  public Dialect.Failure classify(SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    if (failure.getErrorCode() == LOCK_TIMEOUT) {
      return Dialect.Failure.LOCK_TIMEOUT;
    }
    if (state.equals("40001") || failure.getErrorCode() == CONCURRENT_UPDATE) {
      return Dialect.Failure.RETRY;
    }
    return state.startsWith("08") || GONE.contains(failure.getErrorCode())
        ? Dialect.Failure.CONNECTION
        : Dialect.Failure.OTHER;
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    return !state.startsWith("40") && !state.startsWith("23") && !state.equals("08003");
  }

  @Override
  public String howToFindBlockers() {
    return "SELECT * FROM INFORMATION_SCHEMA.SESSIONS";
  }
}
