package dev.fencing.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import java.util.Set;

/** What the errors of MySQL and MariaDB mean for the next step. */
final class InnoDbErrors {

  static final int LOCK_WAIT_TIMEOUT = 1205;

  static final String HOW_TO_FIND_BLOCKERS =
      "SELECT trx_mysql_thread_id, trx_started, trx_query FROM information_schema.innodb_trx"
          + " ORDER BY trx_started (needs the PROCESS privilege)";

  /** Lock wait timeout, statement time of MariaDB and of MySQL, NOWAIT, and a killed query. */
  private static final Set<Integer> TIMEOUTS = Set.of(LOCK_WAIT_TIMEOUT, 1969, 3024, 3572, 1317);

  /** Deadlock, a row that has changed since the snapshot, and a lock table that is full. */
  private static final Set<Integer> ROLLED_BACK = Set.of(1213, 1020, 1206);

  /** A session that was killed or idle for too long, and a server that shuts down. */
  private static final Set<Integer> DISCONNECTED = Set.of(1927, 4031, 1053);

  private InnoDbErrors() {}

  static Dialect.Failure classify(SQLException failure) {
    int code = failure.getErrorCode();
    String state = state(failure);
    if (TIMEOUTS.contains(code) || state.equals(Deadline.PASSED)) {
      return Dialect.Failure.LOCK_TIMEOUT;
    }
    if (ROLLED_BACK.contains(code) || state.equals("40001")) {
      return Dialect.Failure.RETRY;
    }
    // A pool's exception has no code; the driver gives the class to errors of a trigger, too.
    boolean noneInPool = failure instanceof SQLTransientConnectionException && code == 0;
    return state.startsWith("08") || DISCONNECTED.contains(code) || noneInPool
        ? Dialect.Failure.CONNECTION
        : Dialect.Failure.OTHER;
  }

  /** Whether the server has rolled the whole transaction back, whatever its settings. */
  static boolean endsTransaction(SQLException failure) {
    return ROLLED_BACK.contains(failure.getErrorCode())
        || state(failure).startsWith("40")
        || classify(failure) == Dialect.Failure.CONNECTION;
  }

  /**
   * Other errors are no answer: that the session was killed, or the log or a replica failed, tells
   * nothing of the transaction.
   */
  static boolean commitMayHaveHappened(SQLException failure) {
    boolean refused =
        ROLLED_BACK.contains(failure.getErrorCode()) || state(failure).matches("(23|40).*");
    // 08003: the connection was closed before, so nothing was sent.
    return !refused && !state(failure).equals("08003");
  }

  private static String state(SQLException failure) {
    return Objects.requireNonNullElse(failure.getSQLState(), "");
  }
}
