package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;

/** What the errors of PostgreSQL mean for the next step. */
final class PostgresErrors {

  private PostgresErrors() {}

  static Dialect.Failure classify(SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    // 57014: the role's statement_timeout, or an operator, cut the wait short.
    if (state.equals("55P03") || state.equals("57014") || state.equals(Deadline.PASSED)) {
      return Dialect.Failure.LOCK_TIMEOUT;
    }
    if (state.equals("40001") || state.equals("40P01")) {
      return Dialect.Failure.RETRY;
    }
    // 08P01 is a protocol error, of a setting as a rule: it would come again. PgBouncer says it of
    // whatever ends a connection, a server that is away or busy for too long.
    boolean fatal = String.valueOf(failure.getMessage()).startsWith("FATAL");
    boolean broken = state.startsWith("08") && (fatal || !state.equals("08P01"));
    boolean ended = state.startsWith("57P0") || state.equals("25P03");
    return broken || ended || failure instanceof SQLTransientConnectionException
        ? Dialect.Failure.CONNECTION
        : Dialect.Failure.OTHER;
  }

  static boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    // The connection was closed before, so nothing was sent, or was idle for too long when it was.
    if (state.equals("08003") || state.equals("57P05")) {
      return false;
    }
    // A shutdown that cuts the wait for a standby short reports 57P01, and the transaction is
    // durable.
    if (state.length() != 5 || state.startsWith("08") || state.startsWith("57P")) {
      return true;
    }
    // Any other error is the server's answer to COMMIT, a rollback. Of those that a breakdown
    // brings
    // too, it is one only if the server goes on answering.
    boolean breakdown = state.equals("40003") || state.matches("(53|57|58|XX).*");
    return breakdown && !answers(connection);
  }

  private static boolean answers(Connection connection) {
    try {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }
}
