package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
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

  private static final int FENCE_COLUMNS = 5; // No other result of an operation has as many.
  private final String table;
  private final CommonSql common;
  private final PostgresSql sql;
  private final FenceSchema schema;
  private final String idleLimit;

  PostgresDialect(String table, Duration idleInTransaction) {
    this.table = table;
    this.common = new CommonSql(table, CommonSql.EPOCH, "");
    this.sql = new PostgresSql(table);
    this.schema = PostgresSql.schema(table);
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
      statement.setString(i++, mine.origin());
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
  public @Nullable FenceRow check(
      Connection connection, String resource, FenceRow presented, Duration bound)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.checkAtOnce)) {
      var unused = bindCheckAtOnce(statement, resource, presented);
      try (ResultSet results = statement.executeQuery()) {
        if (results.next()
            && results.getLong(3) == presented.generation()
            && results.getLong(4) == presented.token()
            && results.getLong(5) == presented.raiseId()) {
          return presented;
        }
      }
    }
    // A raise is in progress or has won, or there is no fence.
    try (PreparedStatement statement = connection.prepareStatement(sql.checkInTurn)) {
      int i = bindGate(statement, resource, bound);
      statement.setString(i++, resource);
      bindRaise(statement, i, presented);
      return fenceIn(statement);
    }
  }

  @Override
  public @Nullable FenceRow read(Connection connection, String resource) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.read)) {
      statement.setString(1, resource);
      return fenceIn(statement);
    }
  }

  @Override
  public int update(
      Connection connection,
      String resource,
      FenceRow presented,
      Duration bound,
      String statement,
      @Nullable Object[] parameters)
      throws SQLException {
    PreparedStatement all;
    try {
      all = connection.prepareStatement(sql.update(statement));
      Counts.bind(all, bindCheckAtOnce(all, resource, presented), parameters);
    } catch (SQLException | RuntimeException e) {
      return NOT_TOGETHER; // The long way will tell why; the pool closes what is open.
    }
    try (all) {
      return countIn(all);
    } catch (SQLException e) {
      PostgresAbort.leave(connection, e);
      throw e;
    }
  }

  /** The count of the last statement but one; the last is the COMMIT. */
  private static int countIn(PreparedStatement statement) throws SQLException {
    int count = 0;
    int last = 0;
    boolean rows = statement.execute();
    while (rows || statement.getUpdateCount() != -1) {
      count = last;
      last = Counts.of(statement, rows);
      rows = statement.getMoreResults();
    }
    return count;
  }

  @Override
  public boolean isRefusal(SQLException failure) {
    return Objects.equals(failure.getSQLState(), "22P02")
        && String.valueOf(failure.getMessage()).contains(PostgresSql.REFUSED);
  }

  @Override
  public @Nullable FenceRow recordOperation(
      Connection connection, String resource, String operationId, FenceRow mine)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.recordOperation)) {
      statement.setString(1, resource);
      statement.setString(2, operationId);
      statement.setLong(3, mine.generation());
      statement.setLong(4, mine.token());
      if (statement.executeUpdate() == 1) {
        return null;
      }
    }
    FenceRow applied = common.applied(connection, resource, operationId);
    if (applied == null) {
      // Nothing stands for the operation now, so its work must not go on unrecorded.
      throw new SQLTransactionRollbackException(
          "operation \"%s\" was applied before, and forgotten while it was looked up"
              .formatted(operationId),
          "40001");
    }
    return applied;
  }

  @Override
  public CommonSql common() {
    return common;
  }

  private int bindCheckAtOnce(PreparedStatement statement, String resource, FenceRow presented)
      throws SQLException {
    bindRaise(statement, 1, presented);
    statement.setString(4, idleLimit);
    statement.setString(5, idleLimit);
    statement.setString(6, gate(resource));
    statement.setString(7, resource);
    return 8;
  }

  private static void bindRaise(PreparedStatement statement, int first, FenceRow raised)
      throws SQLException {
    statement.setLong(first, raised.generation());
    statement.setLong(first + 1, raised.token());
    statement.setLong(first + 2, raised.raiseId());
  }

  private int bindOpening(PreparedStatement statement, String resource, Duration bound)
      throws SQLException {
    int next = bindGate(statement, resource, bound);
    statement.setLong(next, Math.max(1, bound.toMillis()));
    return next + 1;
  }

  private int bindGate(PreparedStatement statement, String resource, Duration bound)
      throws SQLException {
    statement.setString(1, idleLimit);
    statement.setString(2, idleLimit);
    statement.setString(3, milliseconds(bound));
    statement.setString(4, gate(resource));
    return 5;
  }

  /** Reads on to the end, so that an error of a later statement is not missed. */
  private static @Nullable FenceRow fenceIn(PreparedStatement statement) throws SQLException {
    FenceRow found = null;
    boolean rows = statement.execute();
    while (rows || statement.getUpdateCount() != -1) {
      if (rows) {
        try (ResultSet results = statement.getResultSet()) {
          if (results.getMetaData().getColumnCount() >= FENCE_COLUMNS && results.next()) {
            found =
                new FenceRow(
                    results.getLong(1),
                    results.getLong(2),
                    results.getLong(3),
                    results.getString(4),
                    results.getString(5));
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
    PostgresAbort.abort(connection);
  }

  @Override
  public boolean isReadOnly(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery("SHOW transaction_read_only")) {
      return results.next() && results.getString(1).equals("on");
    }
  }

  @Override
  public boolean isAborted(Connection connection) throws SQLException {
    return PostgresAbort.isAborted(connection);
  }

  @Override
  public @Nullable FencingException lostStatements(Connection one, Connection other)
      throws SQLException {
    return PostgresStatements.areKept(one, other) ? null : PostgresStatements.lost(null);
  }

  @Override
  public String blockers(Connection connection, String resource) throws SQLException {
    return PostgresBlockers.describe(connection, table, gate(resource));
  }

  @Override
  public String howToFindBlockers() {
    return PostgresBlockers.QUERY;
  }

  @Override
  public Failure classify(SQLException failure) {
    return PostgresErrors.classify(failure);
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return PostgresErrors.commitMayHaveHappened(connection, failure);
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
