package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fence on PostgreSQL 15 and later.
 *
 * <p>Every operation is one round trip: its statements travel together. Two locks guard a fence.
 * The <em>gate</em> is an advisory lock of the transaction, shared for a check and exclusive for a
 * raise; it is there because PostgreSQL lets new sharers of a row overtake a waiting UPDATE, so
 * that a stream of checks would starve a raise, while the queue of an advisory lock is fair. The
 * <em>row lock</em> above it is what makes the check safe: with the gate alone, a REPEATABLE READ
 * transaction would judge by a snapshot that is older than its wait.
 */
final class PostgresDialect implements Dialect {

  private final String table;
  private final PostgresSql sql;
  private final PostgresSchema schema;
  private final String idleLimit;

  PostgresDialect(String table, Duration idleInTransaction) {
    this.table = table;
    this.sql = new PostgresSql(table);
    this.schema = new PostgresSchema(table);
    this.idleLimit = milliseconds(idleInTransaction);
  }

  @Override
  public @Nullable FenceRow raise(
      Connection connection, String resource, FenceRow mine, Duration bound) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.raise)) {
      int i = bindOpening(statement, resource, bound);
      statement.setString(i++, resource);
      statement.setLong(i++, mine.generation());
      statement.setLong(i++, mine.token());
      statement.setLong(i++, mine.raiseId());
      statement.setString(i++, mine.raisedBy());
      statement.setString(i, resource);
      return fenceIn(statement);
    }
  }

  @Override
  public @Nullable FenceRow renew(
      Connection connection, String resource, FenceRow old, FenceRow renewed, Duration bound)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.renew)) {
      int i = bindOpening(statement, resource, bound);
      statement.setLong(i++, renewed.raiseId());
      statement.setString(i++, resource);
      statement.setLong(i++, old.generation());
      statement.setLong(i++, old.token());
      statement.setLong(i++, old.raiseId());
      statement.setString(i, resource);
      return fenceIn(statement);
    }
  }

  @Override
  public @Nullable FenceRow check(Connection connection, String resource, Duration bound)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.check)) {
      statement.setString(1, idleLimit);
      statement.setString(2, idleLimit);
      statement.setString(3, milliseconds(bound));
      statement.setString(4, gate(resource));
      statement.setString(5, resource);
      return fenceIn(statement);
    }
  }

  private int bindOpening(PreparedStatement statement, String resource, Duration bound)
      throws SQLException {
    statement.setString(1, idleLimit);
    statement.setString(2, idleLimit);
    statement.setString(3, milliseconds(bound));
    statement.setString(4, gate(resource));
    statement.setLong(5, Math.max(1, bound.toMillis()));
    return 6;
  }

  /** Reads on to the end, so that an error of a later statement is not missed. */
  private static @Nullable FenceRow fenceIn(PreparedStatement statement) throws SQLException {
    FenceRow found = null;
    boolean rows = statement.execute();
    while (rows || statement.getUpdateCount() != -1) {
      if (rows) {
        try (ResultSet results = statement.getResultSet()) {
          if (results.getMetaData().getColumnCount() == 4 && results.next()) {
            found =
                new FenceRow(
                    results.getLong(1),
                    results.getLong(2),
                    results.getLong(3),
                    results.getString(4));
          }
        }
      }
      rows = statement.getMoreResults();
    }
    return found;
  }

  private static String milliseconds(Duration bound) {
    // 0 would mean "wait for ever".
    return Math.max(1, bound.toMillis()) + "ms";
  }

  private static String gate(String resource) {
    return "fence:" + resource;
  }

  @Override
  public void poison(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'FEN01', MESSAGE ="
              + " 'the fencing token of this transaction was refused; it cannot be committed';"
              + " END $$");
      throw new SQLException("the transaction could not be poisoned", "FEN01");
    } catch (SQLException expected) {
      if (!isAborted(connection)) {
        throw expected;
      }
    }
  }

  @Override
  public boolean isAborted(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
      return false;
    } catch (SQLException failure) {
      if (Objects.equals(failure.getSQLState(), "25P02")) {
        return true;
      }
      throw failure;
    }
  }

  @Override
  public String blockers(Connection connection, String resource) throws SQLException {
    List<String> sessions = list(connection, PostgresSql.GATE_HOLDERS, gate(resource));
    if (!sessions.isEmpty()) {
      return "In the way: "
          + String.join("; ", sessions)
          + ". End one with pg_terminate_backend(pid)";
    }
    sessions = list(connection, PostgresSql.TABLE_USERS, table);
    return sessions.isEmpty()
        ? "No session is in the way any more; to look again: " + howToFindBlockers()
        : "Nobody holds the gate of the fence, but these have locks in its table: "
            + String.join("; ", sessions);
  }

  private static List<String> list(Connection connection, String query, String parameter)
      throws SQLException {
    List<String> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, parameter);
      try (ResultSet results = statement.executeQuery()) {
        while (results.next()) {
          found.add(results.getString(1));
        }
      }
    }
    return found;
  }

  @Override
  public String howToFindBlockers() {
    return "SELECT pid, pg_blocking_pids(pid), state, xact_start, query FROM pg_stat_activity"
        + " WHERE wait_event_type = 'Lock' OR state = 'idle in transaction'";
  }

  @Override
  public Failure classify(SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    // 57014: the role's statement_timeout, or an operator, cut the wait short.
    if (state.equals("55P03") || state.equals("57014")) {
      return Failure.LOCK_TIMEOUT;
    }
    if (state.equals("40001") || state.equals("40P01")) {
      return Failure.RETRY;
    }
    // 08P01 is a protocol error, of a setting as a rule: it would come again.
    boolean broken = state.startsWith("08") && !state.equals("08P01");
    boolean ended = state.startsWith("57P0") || state.equals("25P03");
    return broken || ended || failure instanceof SQLTransientConnectionException
        ? Failure.CONNECTION
        : Failure.OTHER;
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    String state = Objects.requireNonNullElse(failure.getSQLState(), "");
    if (state.equals("08003")) {
      return false; // The connection was closed before, so nothing was sent.
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

  @Override
  public String ddl() {
    return schema.ddl();
  }

  @Override
  public List<String> schemaProblems(Connection connection) throws SQLException {
    return schema.problems(connection);
  }
}
