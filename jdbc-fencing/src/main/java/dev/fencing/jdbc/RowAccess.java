package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Where row operations run: in a transaction of the library's own, or in the caller's. */
final class RowAccess {

  private final DataSource dataSource;
  private final TableShape shape;
  private final Duration bound;
  private volatile @Nullable RowSql checked;

  RowAccess(DataSource dataSource, TableShape shape, Duration bound) {
    this.dataSource = dataSource;
    this.shape = shape;
    this.bound = bound;
  }

  /** Runs them in one transaction, which is committed if all have passed and else rolled back. */
  List<RowResult> inOwnTransaction(List<RowOperation> operations) {
    long start = System.nanoTime();
    RowResult done = operations.size() == 1 ? atOnce(operations.get(0), start) : null;
    if (done != null) {
      return List.of(done);
    }
    @Nullable SQLException before = null;
    while (true) {
      Duration left = bound.minusNanos(System.nanoTime() - start);
      RowTransaction attempt = new RowTransaction(operations, left);
      try {
        return attempt.run(dataSource, this::ownSql);
      } catch (SQLException e) {
        long waited = System.nanoTime() - start;
        RowSql sql = checked;
        boolean again = sql != null && sql.classify(e) == Dialect.Failure.RETRY;
        if (!again || waited >= bound.toNanos()) {
          // That the time is up says less than what has taken it.
          boolean late = Deadline.PASSED.equals(e.getSQLState());
          throw failed(inWords(operations), sql, late && before != null ? before : e, waited);
        }
        before = e;
      }
    }
  }

  /** Null if nothing was written: the long way will tell why. */
  private @Nullable RowResult atOnce(RowOperation operation, long start) {
    RowSql sql = checked;
    if (sql == null) {
      return null;
    }
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) { // To ask a pool again would double its wait.
      throw failed(operation.inWords(), sql, e, System.nanoTime() - start);
    }
    Silence silence = new Silence(connection);
    try {
      RowSql.Ready ready = ready(sql, connection, silence, operation);
      return ready == null ? null : send(ready, sql, connection, operation, start);
    } finally {
      silence.giveBack();
    }
  }

  private RowSql.@Nullable Ready ready(
      RowSql sql, Connection connection, Silence silence, RowOperation operation) {
    try {
      // A text that says BEGIN by itself would not be read-only, as the driver's would.
      if (!connection.getAutoCommit() || connection.isReadOnly()) {
        return null;
      }
      Duration silent = silence.limit(bound.plus(LocalTransaction.GRACE));
      return sql.atOnce(connection, operation, waitWithin(silent));
    } catch (SQLException e) {
      return null;
    }
  }

  /** The server has to give up before the driver does: else nobody knows what has become of it. */
  private Duration waitWithin(Duration silent) {
    Duration half = silent.dividedBy(2);
    Duration most =
        half.compareTo(LocalTransaction.GRACE) < 0 ? half : silent.minus(LocalTransaction.GRACE);
    return most.compareTo(bound) < 0 ? most : bound;
  }

  private static @Nullable RowResult send(
      RowSql.Ready ready, RowSql sql, Connection connection, RowOperation operation, long start) {
    try {
      return ready.send();
    } catch (SQLException e) {
      if (sql.commitMayHaveHappened(connection, e)) {
        throw RowTransaction.unknown(List.of(operation), e);
      }
      if (sql.classify(e) == Dialect.Failure.LOCK_TIMEOUT) {
        throw failed(operation.inWords(), sql, e, System.nanoTime() - start);
      }
      return null;
    } catch (FencingException e) { // The driver has had the whole answer, and cannot read it.
      throw new FencingException(
          "%s. The %s is durable all the same".formatted(e.getMessage(), operation.inWords()), e);
    } catch (RuntimeException | Error e) {
      throw RowTransaction.unknown(List.of(operation), e);
    }
  }

  /** Runs them in the caller's transaction, of which nothing is committed if they fail. */
  List<RowResult> join(Connection connection, List<RowOperation> operations) {
    long start = System.nanoTime();
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "the connection is in autocommit mode, so the %s would not be part of any transaction of yours. Call setAutoCommit(false) first, or use the table without on(connection)"
                .formatted(inWords(operations)));
      }
      return sql(connection).run(connection, operations, bound, false);
    } catch (SQLException e) {
      FencingException failure = failed(inWords(operations), checked, e, System.nanoTime() - start);
      poison(connection, failure);
      throw failure;
    } catch (FencingException e) {
      poison(connection, e);
      throw e;
    }
  }

  /** Makes sure that the caller's transaction is never committed, even if he swallows this. */
  void poison(Connection connection, FencingException refusal) {
    GuardedConnection view = GuardedConnection.of(connection);
    if (view != null) {
      view.refuseCommit(refusal);
      return;
    }
    RowSql sql = checked;
    try {
      if (sql != null) {
        sql.poison(connection);
        return;
      }
    } catch (SQLException e) {
      refusal.addSuppressed(e);
    }
    LocalTransaction.abort(connection, refusal);
  }

  private RowSql ownSql(Connection connection) throws SQLException {
    RowSql sql = checked;
    if (sql == null) {
      sql = sql(connection);
      // What was asked must not come first in the transaction that follows.
      connection.rollback();
    }
    return sql;
  }

  /** The SQL for this database, once the table has been found fit for it. */
  private RowSql sql(Connection connection) throws SQLException {
    RowSql sql = checked;
    if (sql == null) {
      sql = RowSql.of(Database.of(connection));
      requireShape(connection, sql);
      checked = sql;
    }
    return sql;
  }

  private void requireShape(Connection connection, RowSql sql) throws SQLException {
    List<String> problems = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(RowText.probe(shape));
        ResultSet results = statement.executeQuery()) {
      ResultSetMetaData columns = results.getMetaData();
      List<String> numbers = new ArrayList<>(shape.stateColumns());
      numbers.remove(shape.tombstone());
      for (int i = 1; i <= numbers.size(); i++) {
        String type = columns.getColumnTypeName(i).toLowerCase(Locale.ROOT);
        if (columns.getColumnType(i) != Types.BIGINT || type.contains("unsigned")) {
          problems.add(
              "column %s is %s and must be bigint, since a token is a signed 64-bit number"
                  .formatted(numbers.get(i - 1), type));
        }
      }
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        if (Objects.requireNonNullElse(columns.getTableName(i), "").isEmpty()) {
          problems.add( // USER, say, is who asks, whatever the row holds.
              "%s is a word of the database's own there and no column, which would have to be quoted"
                  .formatted(columns.getColumnLabel(i).toLowerCase(Locale.ROOT)));
        }
      }
    } catch (SQLException e) {
      if (e.getSQLState() == null || !e.getSQLState().startsWith("42")) {
        throw e;
      }
      throw new FenceSchemaException(
          "table %s cannot be used with a fence in its rows: %s (SQLState %s). It needs the columns %s, of type bigint but for a boolean tombstone, and the key columns %s"
              .formatted(
                  shape.table(),
                  e.getMessage(),
                  e.getSQLState(),
                  shape.stateColumns(),
                  shape.key()),
          e);
    }
    problems.addAll(sql.tableProblems(connection, shape.table()));
    if (!problems.isEmpty()) {
      throw new FenceSchemaException(
          "table %s cannot hold a fence in its rows: %s"
              .formatted(shape.table(), String.join("; ", problems)),
          null);
    }
  }

  private static FencingException failed(
      String what, @Nullable RowSql sql, SQLException e, long nanos) {
    long waited = TimeUnit.NANOSECONDS.toMillis(nanos);
    Dialect.Failure kind = sql == null ? Dialect.Failure.OTHER : sql.classify(e);
    if (sql != null && (kind == Dialect.Failure.LOCK_TIMEOUT || kind == Dialect.Failure.RETRY)) {
      return new FenceBusyException(
          "%s did not get past other transactions that write the same rows, within %d ms: %s (SQLState %s). Nothing was written; it may be tried again in a new transaction. To find what is in the way: %s"
              .formatted(what, waited, e.getMessage(), e.getSQLState(), sql.howToFindBlockers()),
          e);
    }
    return new FencingException(
        "%s failed after %d ms: %s (SQLState %s). Nothing was written"
            .formatted(what, waited, e.getMessage(), e.getSQLState()),
        e);
  }

  static String inWords(List<RowOperation> operations) {
    String first = operations.get(0).inWords();
    return operations.size() == 1
        ? first
        : "batch of %d rows, the first a %s".formatted(operations.size(), first);
  }
}
