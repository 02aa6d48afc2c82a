package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Row mode on PostgreSQL: one round trip for a write that passes, with all settings.
 *
 * <p>RETURNING tells the fence that the write has stored, of the version of the row that it has
 * locked. Only where it returns nothing is the row locked and read to tell why.
 */
final class PostgresRowSql implements RowSql {

  private static final String OWN_LIMITS =
      """
      SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
      SELECT set_config('lock_timeout', ?, true), \
      CASE WHEN current_setting('idle_in_transaction_session_timeout')::interval \
      NOT BETWEEN interval '1 microsecond' AND ?::interval \
      THEN set_config('idle_in_transaction_session_timeout', ?, true) END""";

  /** A claim that a crash forgets would let the older holder write again. Never weakened. */
  private static final String DURABLE =
      """
      , CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') \
      THEN set_config('synchronous_commit', 'on', true) END""";

  private static final String JOINED_LIMITS =
      """
      SELECT set_config('fencing.lock_timeout', current_setting('lock_timeout'), true);
      SELECT set_config('lock_timeout', ?, true)""";

  private static final String RESTORE =
      ";\nSELECT set_config('lock_timeout', current_setting('fencing.lock_timeout'), true)";

  /** A trigger that was called for a refused write may have written elsewhere. */
  private static final String UNTOUCHED = " AND pg_current_xact_id_if_assigned() IS NULL";

  /** Two statements come before the first write, whichever limits are set. */
  private static final int BEFORE = 2;

  /** Writes that travel together. */
  private static final int TOGETHER = 50;

  /** When the writes that travel together must have their locks, by the clock of the server. */
  private static final String UNTIL =
      """
      , set_config('fencing.until', (extract(epoch FROM clock_timestamp()) * 1000 + ?)::text, true)""";

  /** For the next of them, what those before have left. */
  private static final String LIMIT_NEXT =
      """
      ;
      SELECT set_config('lock_timeout', greatest(1, current_setting('fencing.until')::numeric \
      - extract(epoch FROM clock_timestamp()) * 1000)::bigint::text, true)""";

  @Override
  public Undo prepare(Connection connection) {
    return () -> {};
  }

  @Override
  public List<RowResult> run(
      Connection connection, List<RowOperation> operations, Duration bound, boolean own)
      throws SQLException {
    Deadline deadline = new Deadline(bound);
    List<RowResult> results = new ArrayList<>();
    for (int from = 0; from < operations.size(); from += TOGETHER) {
      List<RowOperation> some =
          operations.subList(from, Math.min(operations.size(), from + TOGETHER));
      results.addAll(together(connection, some, deadline, own && from == 0));
    }
    return results;
  }

  @Override
  public Ready atOnce(Connection connection, RowOperation operation, Duration bound)
      throws SQLException {
    boolean claims = operation.kind() == RowOperation.Kind.CLAIM;
    BoundSql text =
        new BoundSql()
            .add("BEGIN ISOLATION LEVEL READ COMMITTED;\n")
            .add("SELECT set_config('lock_timeout', ?, true)", milliseconds(bound))
            .add(claims ? DURABLE : "")
            .add(";\nWITH w AS (")
            .add(write(operation))
            .add(") SELECT " + read(operation) + " FROM w RIGHT JOIN (SELECT) AS one ON TRUE ")
            .add("WHERE CASE WHEN (SELECT count(*) FROM w) = 1")
            .add(operation.removesRow() ? new BoundSql() : RowText.stored(operation))
            .add(" THEN TRUE WHEN (SELECT count(*) FROM w) = 0")
            .add(UNTOUCHED)
            .add(" THEN FALSE ELSE")
            .add(
                " ('the row does not show the write: ' || pg_backend_pid())::boolean END;\nCOMMIT");
    PreparedStatement statement = text.prepare(connection);
    return () -> {
      Read written;
      try (statement) {
        written = execute(statement, List.of(operation)).get(0);
      } catch (SQLException | RuntimeException e) {
        PostgresAbort.leave(connection, e);
        throw e;
      }
      return written.state() == null
          ? null
          : judge(connection, operation, written, new Deadline(bound));
    };
  }

  private List<RowResult> together(
      Connection connection, List<RowOperation> operations, Deadline deadline, boolean own)
      throws SQLException {
    Duration left = deadline.leftOrThrow();
    BoundSql text = limits(left, own, operations.get(0).kind() == RowOperation.Kind.CLAIM);
    if (operations.size() > 1) {
      text.add(UNTIL, left.toMillis());
    }
    for (int i = 0; i < operations.size(); i++) {
      text.add(i == 0 ? "" : LIMIT_NEXT).add(";\n").add(write(operations.get(i)));
    }
    if (!own) {
      text.add(RESTORE);
    }
    List<Read> written = execute(connection, text, operations);
    List<RowResult> results = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      results.add(judge(connection, operations.get(i), written.get(i), deadline));
    }
    return results;
  }

  private static BoundSql limits(Duration bound, boolean own, boolean durable) {
    String wait = milliseconds(bound);
    if (!own) {
      return new BoundSql().add(JOINED_LIMITS, wait);
    }
    String idle = milliseconds(JdbcFence.DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT);
    return new BoundSql().add(OWN_LIMITS, wait, idle, idle).add(durable ? DURABLE : "");
  }

  private static String milliseconds(Duration bound) {
    return Math.max(1, bound.toMillis()) + "ms"; // 0 would mean "wait for ever".
  }

  private static BoundSql write(RowOperation operation) {
    BoundSql text =
        operation.kind() == RowOperation.Kind.UPSERT ? upsert(operation) : RowText.write(operation);
    return text.add(" RETURNING " + read(operation));
  }

  /** What is to be known of the row: all of it by who claims it, and else its fence. */
  private static String read(RowOperation operation) {
    return operation.kind() == RowOperation.Kind.CLAIM
        ? "*"
        : RowText.stateColumns(operation.shape());
  }

  private static BoundSql upsert(RowOperation operation) {
    TableShape shape = operation.shape();
    String assignments =
        RowText.insertedColumns(operation).stream()
            .filter(column -> !shape.key().contains(column))
            .map(column -> column + " = excluded." + column)
            .collect(Collectors.joining(", "));
    return RowText.insert(operation, " AS f")
        .add(" ON CONFLICT (" + String.join(", ", shape.key()) + ") DO UPDATE SET ")
        .add(assignments + " WHERE TRUE")
        .add(RowText.accepted(operation, "f."));
  }

  /** One result of a statement: whether it gave a row, and what the row held. */
  private record Read(@Nullable RowState state, Map<String, @Nullable Object> values) {}

  /** Reads on to the end, so that an error of a later statement is not missed. */
  private static List<Read> execute(
      Connection connection, BoundSql text, List<RowOperation> operations) throws SQLException {
    try (PreparedStatement statement = text.prepare(connection)) {
      return execute(statement, operations);
    }
  }

  private static List<Read> execute(PreparedStatement statement, List<RowOperation> operations)
      throws SQLException {
    List<Read> reads = new ArrayList<>();
    boolean rows = statement.execute();
    for (int i = -BEFORE; rows || statement.getUpdateCount() != -1; i++) {
      boolean write = i >= 0 && i % 2 == 0; // Between two of them is a limit.
      if (rows && write && reads.size() < operations.size()) {
        try (ResultSet results = statement.getResultSet()) {
          reads.add(read(operations.get(reads.size()), results));
        }
      }
      rows = statement.getMoreResults();
    }
    return reads;
  }

  private static Read read(RowOperation operation, ResultSet results) throws SQLException {
    if (!results.next()) {
      return new Read(null, Map.of());
    }
    Read read = new Read(RowReader.state(operation, results), RowReader.values(operation, results));
    RowReader.requireOnly(operation, results);
    return read;
  }

  private static RowResult judge(
      Connection connection, RowOperation operation, Read written, Deadline deadline)
      throws SQLException {
    if (written.state() != null) {
      RowState stored = operation.removesRow() ? null : written.state();
      return RowVerdict.of(operation, true, stored, false).with(written.values());
    }
    RowState locked = lock(connection, operation, deadline);
    if (locked == null || !operation.passes(locked)) {
      return RowVerdict.of(operation, false, locked, false);
    }
    // It may have come in between; now that it is locked, the answer is final.
    Read again = execute(connection, joined(deadline, write(operation)), List.of(operation)).get(0);
    if (again.state() == null) {
      return RowVerdict.of(operation, false, locked, false);
    }
    RowState stored = operation.removesRow() ? null : again.state();
    return RowVerdict.of(operation, true, stored, false).with(again.values());
  }

  private static @Nullable RowState lock(
      Connection connection, RowOperation operation, Deadline deadline) throws SQLException {
    BoundSql lock =
        RowText.lock(operation, RowText.stateColumns(operation.shape()), " FOR NO KEY UPDATE");
    return execute(connection, joined(deadline, lock), List.of(operation)).get(0).state();
  }

  private static BoundSql joined(Deadline deadline, BoundSql statement) throws SQLException {
    return limits(deadline.leftOrThrow(), false, false).add(";\n").add(statement).add(RESTORE);
  }

  @Override
  public void poison(Connection connection) throws SQLException {
    PostgresAbort.abort(connection);
  }

  @Override
  public Dialect.Failure classify(SQLException failure) {
    return PostgresErrors.classify(failure);
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return PostgresErrors.commitMayHaveHappened(connection, failure);
  }

  @Override
  public String howToFindBlockers() {
    return PostgresBlockers.QUERY;
  }
}
