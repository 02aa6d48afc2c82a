package dev.fencing.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import java.util.Set;

/** What the errors of H2 mean for the next step. */
final class H2Errors {

  static final String HOW_TO_FIND_BLOCKERS =
      "SELECT * FROM INFORMATION_SCHEMA.SESSIONS WHERE CONTAINS_UNCOMMITTED";

  /** A lock was not had in time, and a statement that was cancelled. */
  private static final Set<Integer> TIMEOUTS = Set.of(50200, 57014);

  private static final int CONCURRENT_UPDATE = 90131;

  private static final int CLOSED = 90007;

  /** Closed, broken, locked by another process, shut down. */
  private static final Set<Integer> DISCONNECTED = Set.of(CLOSED, 90067, 90098, 90020, 90121);

  private H2Errors() {}

  static Dialect.Failure classify(SQLException failure) {
    int code = failure.getErrorCode();
    String state = state(failure);
    if (TIMEOUTS.contains(code) || state.equals(Deadline.PASSED)) {
      return Dialect.Failure.LOCK_TIMEOUT;
    }
    if (code == CONCURRENT_UPDATE || state.equals("40001")) {
      return Dialect.Failure.RETRY;
    }
    boolean noneInPool = failure instanceof SQLTransientConnectionException && code == 0;
    return state.startsWith("08") || DISCONNECTED.contains(code) || noneInPool
        ? Dialect.Failure.CONNECTION
        : Dialect.Failure.OTHER;
  }

  static boolean commitMayHaveHappened(SQLException failure) {
    // The connection was closed before, so nothing was sent.
    boolean closed = failure.getErrorCode() == CLOSED || state(failure).equals("08003");
    return !closed && !state(failure).matches("(23|40).*");
  }

  private static String state(SQLException failure) {
    return Objects.requireNonNullElse(failure.getSQLState(), "");
  }
}
