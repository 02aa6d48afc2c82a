package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fence on a database whose row locks alone hold it: MySQL, MariaDB and H2.
 *
 * <p>None of them has an aborted state: after an error that rolled the transaction back, the next
 * statement opens a new one, which nobody has checked. And none has settings that end with a
 * transaction: the bound of a wait is part of the statement that waits.
 */
abstract class RowLockDialect implements Dialect {

  private final String table;
  private final CommonSql common;
  private final FenceSchema schema;
  private final String row;
  private final String record;

  /**
   * @param row the columns of a {@link FenceRow}
   * @param now the expression for the present time
   */
  RowLockDialect(String table, CommonSql common, FenceSchema schema, String row, String now) {
    this.table = table;
    this.common = common;
    this.schema = schema;
    this.row = row;
    this.record =
        """
        INSERT INTO %s (resource, operation_id, generation, token, applied_at)
        VALUES (?, ?, ?, ?, %s)"""
            .formatted(CommonSql.operations(table), now);
  }

  /** Reads the row, its columns followed by {@code more}, under the name f. */
  final String select(String more) {
    return "SELECT " + row + more + " FROM " + table + " f WHERE f.resource = ?";
  }

  /** Takes the row for a change, within the bound, where the change cannot be bounded by itself. */
  abstract void lock(Connection connection, String resource, Duration bound) throws SQLException;

  /** The raise; it may answer with the row that is there then. */
  abstract String raiseSql(Duration bound);

  /** The renewal of the row that {@link #lock} has taken. */
  abstract String renewSql(Duration bound);

  /** The locking read of a check; behind the row, the raise id that the transaction's reads see. */
  abstract String checkSql(Duration bound);

  @Override
  public @Nullable FenceRow raise(
      Connection connection, String resource, FenceRow mine, Duration bound) throws SQLException {
    lock(connection, resource, bound);
    try (PreparedStatement statement = connection.prepareStatement(raiseSql(bound))) {
      statement.setString(1, resource);
      statement.setLong(2, mine.generation());
      statement.setLong(3, mine.token());
      statement.setLong(4, mine.raiseId());
      statement.setString(5, mine.origin());
      statement.setString(6, mine.raisedBy());
      if (statement.execute()) {
        try (ResultSet results = statement.getResultSet()) {
          return results.next() ? rowIn(results) : null;
        }
      }
    }
    return current(connection, resource);
  }

  @Override
  public @Nullable FenceRow renew(
      Connection connection, String resource, FenceRow old, FenceRow renewed, Duration bound)
      throws SQLException {
    lock(connection, resource, bound);
    try (PreparedStatement statement = connection.prepareStatement(renewSql(bound))) {
      statement.setLong(1, renewed.raiseId());
      statement.setString(2, resource);
      statement.setLong(3, old.generation());
      statement.setLong(4, old.token());
      statement.setLong(5, old.raiseId());
      statement.execute();
    }
    return current(connection, resource);
  }

  @Override
  public @Nullable FenceRow check(
      Connection connection, String resource, FenceRow presented, Duration bound)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(checkSql(bound))) {
      statement.setString(1, resource);
      try (ResultSet results = resultsOf(statement)) {
        if (!results.next()) {
          return null;
        }
        FenceRow stored = rowIn(results);
        long seen = results.getLong(6);
        if (stored.sameRaise(presented) && (results.wasNull() || seen != stored.raiseId())) {
          throw new SQLTransactionRollbackException(
              "this transaction's reads show the database as it was before the raise: it has read before the check, or waited",
              "40001");
        }
        return stored;
      }
    }
  }

  @Override
  public @Nullable FenceRow read(Connection connection, String resource) throws SQLException {
    return query(connection, select(""), resource);
  }

  /** What a statement before has locked, whatever snapshot the transaction has. */
  private @Nullable FenceRow current(Connection connection, String resource) throws SQLException {
    return query(connection, select("") + " FOR UPDATE", resource);
  }

  final @Nullable FenceRow query(Connection connection, String query, String resource)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, resource);
      try (ResultSet results = resultsOf(statement)) {
        return results.next() ? rowIn(results) : null;
      }
    }
  }

  /** MySQL's driver takes a SET STATEMENT for no query, whatever it is for. */
  private static ResultSet resultsOf(PreparedStatement statement) throws SQLException {
    statement.execute();
    return statement.getResultSet();
  }

  private static FenceRow rowIn(ResultSet results) throws SQLException {
    return new FenceRow(
        results.getLong(1),
        results.getLong(2),
        results.getLong(3),
        results.getString(4),
        results.getString(5));
  }

  @Override
  public @Nullable FenceRow recordOperation(
      Connection connection, String resource, String operationId, FenceRow mine)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(record)) {
      statement.setString(1, resource);
      statement.setString(2, operationId);
      statement.setLong(3, mine.generation());
      statement.setLong(4, mine.token());
      statement.executeUpdate();
      return null;
    } catch (SQLException e) {
      // A duplicate key ends its statement alone here, and the count of an upsert says nothing.
      FenceRow applied =
          Objects.requireNonNullElse(e.getSQLState(), "").startsWith("23")
              ? common.applied(connection, resource, operationId)
              : null;
      if (applied == null) {
        throw e;
      }
      return applied;
    }
  }

  /** The borrower gets nothing more out of the connection; a pool may hand it to the next one. */
  @Override
  public void poison(Connection connection) throws SQLException {
    connection.rollback();
    connection.close();
    if (!connection.isClosed()) {
      throw new SQLException("the connection stayed open although it was closed", "25000");
    }
  }

  /** Never as a state; see {@link #endsTransaction}. */
  @Override
  public boolean isAborted(Connection connection) {
    return false;
  }

  static List<String> list(Connection connection, String query) throws SQLException {
    List<String> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet results = statement.executeQuery()) {
      while (results.next()) {
        found.add(results.getString(1));
      }
    }
    return found;
  }

  /** As a decimal number; rounded up, so that a statement cache does not see many. */
  static String seconds(Duration bound) {
    long milliseconds = Math.max(1, bound.toMillis());
    long step = milliseconds < 1_000 ? 1 : 100;
    long rounded = (milliseconds + step - 1) / step * step;
    return String.format(Locale.ROOT, "%d.%03d", rounded / 1_000, rounded % 1_000);
  }

  @Override
  public final CommonSql common() {
    return common;
  }

  @Override
  public final String ddl() {
    return schema.ddl();
  }

  @Override
  public List<String> schemaProblems(Connection connection) throws SQLException {
    return schema.problems(connection);
  }
}
