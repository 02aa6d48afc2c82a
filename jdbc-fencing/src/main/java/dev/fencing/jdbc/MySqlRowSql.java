package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

/** Row mode on MySQL 8 and later, with InnoDB. */
class MySqlRowSql extends LockingRowSql {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int SHUTDOWN = 1053;
  private static final int KILLED = 1317;

  /** Of the next transaction only, so that nothing outlasts it. */
  @Override
  public Undo prepare(Connection connection) throws SQLException {
    execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    return () -> {};
  }

  @Override
  Undo limitWaits(Connection connection, Duration bound) throws SQLException {
    long seconds = Math.max(1, bound.toSeconds());
    execute(
        connection,
        "SET @fencing_lock_wait = @@SESSION.innodb_lock_wait_timeout,"
            + " SESSION innodb_lock_wait_timeout = "
            + seconds);
    return () -> execute(connection, "SET SESSION innodb_lock_wait_timeout = @fencing_lock_wait");
  }

  /** With useAffectedRows=true a row that held the values counts as 0; no trigger can skip one. */
  @Override
  boolean isSilentAboutUnchangedRows() {
    return true;
  }

  @Override
  public Dialect.Failure classify(SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    if (failure.getErrorCode() == LOCK_WAIT_TIMEOUT) {
      return Dialect.Failure.LOCK_TIMEOUT;
    }
    if (failure.getErrorCode() == DEADLOCK || state.equals("40001")) {
      return Dialect.Failure.RETRY;
    }
    return state.startsWith("08") || failure.getErrorCode() == SHUTDOWN
        ? Dialect.Failure.CONNECTION
        : Dialect.Failure.OTHER;
  }

  /** Only an error that the server has answered is a rollback. */
  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    boolean answered =
        failure.getErrorCode() > 0
            && failure.getErrorCode() != SHUTDOWN
            && failure.getErrorCode() != KILLED
            && !state.startsWith("08");
    return !answered;
  }

  @Override
  public String howToFindBlockers() {
    return "SELECT * FROM information_schema.innodb_trx ORDER BY trx_started";
  }
}
