package dev.fencing.jdbc;

import java.security.SecureRandom;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table of the user's own in which each row carries its fence: the highest token that has written
 * it.
 *
 * <p>Two ways to write. What is computed from the row's present values goes through {@link #claim},
 * which raises the row's fence before it reads, so that no late write of an older holder can land
 * behind the read. What depends on no read may be written blindly, by {@link #overwrite}, {@link
 * #upsert} and {@link #delete}: they pass if the row's fence is not above the presented token
 * ({@code stored <= mine}). <strong>Never pass a value to a blind write that was computed from an
 * earlier read:</strong> an older holder's write between the two would be lost.
 *
 * <p>A NULL in the fence column, as in rows that are older than the column, is lower than every
 * token, and a NULL generation is generation 0. The library alone writes its columns; an object
 * mapper must not ({@code insertable = false, updatable = false}), and neither must a trigger: one
 * that changes the row again AFTER the write is not seen.
 *
 * <p>Each call is one short transaction of its own at READ COMMITTED, whatever the default of the
 * session is, committed when it returns; or part of the caller's, by {@link #on}. It blocks until
 * other transactions on the same rows have ended, within the {@linkplain FencedTableBuilder#timeout
 * timeout}, and is repeated within that bound when it is a deadlock victim; no user code runs in
 * it. Every call throws:
 *
 * <ul>
 *   <li>{@link IllegalArgumentException} for a token that is not greater than 0, a key that does
 *       not fit the key columns, or a column name that needs quoting or belongs to the library;
 *   <li>{@link FenceBusyException} if other transactions were in the way for too long; nothing was
 *       written and it may be tried again;
 *   <li>{@link FenceSchemaException} if the table has no such columns, or none of type bigint for
 *       the fence, or a key is not unique;
 *   <li>{@link UnknownOutcomeException} if COMMIT was sent and not answered;
 *   <li>{@link FencingException} if the database failed otherwise; nothing was written. Or if the
 *       driver cannot read what came back: the message says so where the write is durable.
 * </ul>
 *
 * <p>The {@code try} forms return the verdict, whichever it is. The others throw for one that is
 * not a success: {@link StaleTokenException} if the row has seen a newer holder, {@link
 * FenceMissingException} if there is no such row, {@link FenceSchemaException} if a trigger or a
 * rule has swallowed the write. Nothing was written then.
 *
 * <p>Build it once for a DataSource and keep it. Thread-safe.
 */
public final class FencedTable {

  private static final SecureRandom CLAIM_IDS = new SecureRandom();

  private final RowAccess access;
  private final TableShape shape;
  private final @Nullable Connection callers;

  FencedTable(RowAccess access, TableShape shape, @Nullable Connection callers) {
    this.access = access;
    this.shape = shape;
    this.callers = callers;
  }

  /**
   * Returns a builder for a table; asks no database.
   *
   * @param dataSource gives connections to the primary, never to a replica
   * @param table lower-case letters, digits and underscores, with a schema in front if need be
   * @throws IllegalArgumentException if the name holds anything else
   */
  public static FencedTableBuilder builder(DataSource dataSource, String table) {
    return new FencedTableBuilder(dataSource, table);
  }

  /**
   * Returns this table within the caller's own open transaction: what is written is committed, or
   * not, with that transaction, and the rows stay locked until it ends.
   *
   * <p>After any exception of a call the transaction is never committed, even if the exception is
   * swallowed: PostgreSQL refuses it, and on the other databases, which have no such state, it is
   * rolled back and the connection is cut. A verdict that a {@code try} form returns leaves the
   * transaction as it is. At REPEATABLE READ a row that has changed since the transaction began may
   * end it with a {@link FenceBusyException}. If the answer to the COMMIT is lost, the caller gets
   * the driver's exception, and must acquire the lock anew or claim the rows again.
   *
   * <p>A call throws {@link IllegalStateException} if the connection is in autocommit mode, and so
   * does {@link #claim} without a {@linkplain FencedTableBuilder#claimColumn claim column}: the
   * handle could outlive a transaction that was rolled back. Not thread-safe.
   *
   * @param connection with autocommit off
   */
  @CheckReturnValue
  public FencedTable on(Connection connection) {
    return new FencedTable(access, shape, connection);
  }

  /**
   * Raises the fence of a row to the token and reads the row, as one step and with current values.
   *
   * <p>From the moment it has returned, no write with a lower token passes. What is computed from
   * the values is written through the handle, and passes only while the row's fence is exactly what
   * this claim has stored. A value that was read before must not be written through it.
   *
   * <p><strong>The same token again:</strong> two handles of one token could lose an update between
   * them. With a claim column the newest claim wins and the older handle is stale. Without one a
   * token that has claimed or written the row is refused; keep the handle for as long as the lock
   * is held. After an unknown outcome only a table with a claim column can be claimed again under
   * the same token; if the first claim lands behind the second, it ends the handle of that one, and
   * a third is needed.
   *
   * <p>A tombstone can be claimed too, see {@link FencedRow#isDeleted()}; a row that does not exist
   * cannot.
   *
   * @param token the fencing token of the hold, greater than 0
   * @param key the values of the key columns, in their order
   * @throws StaleTokenException if the row has seen a newer holder, or this token as said above
   * @throws FenceMissingException if there is no such row
   */
  @CheckReturnValue
  public FencedRow claim(long token, Object... key) {
    if (callers != null && shape.claim() == null) {
      throw new IllegalStateException(
          "table %s has no claim column, so a claim within a transaction of the caller's cannot be told from one that was rolled back. Name one with claimColumn, or claim without on(connection)"
              .formatted(shape.table()));
    }
    RowOperation claim =
        operation(RowOperation.Kind.CLAIM, token, Arrays.asList(key), Collections.emptyMap());
    RowResult result = run(claim);
    require(claim, result);
    return new FencedRow(this, claim, result);
  }

  /**
   * Writes to a row that exists, blindly: sets the columns and the fence if {@code stored <=
   * token}.
   *
   * @param values column name to value, null for SQL's NULL; at least one
   */
  public void overwrite(long token, Map<String, ? extends @Nullable Object> values, Object... key) {
    write(blind(RowOperation.Kind.OVERWRITE, token, values, key));
  }

  /** {@link #overwrite} that returns its verdict. */
  @CheckReturnValue
  public UpdateOutcome tryOverwrite(
      long token, Map<String, ? extends @Nullable Object> values, Object... key) {
    return run(blind(RowOperation.Kind.OVERWRITE, token, values, key)).outcome();
  }

  /**
   * Writes to a row, blindly, or inserts it with the token as its fence if it is missing.
   *
   * <p>Of two first inserts at the same time the higher token wins and the lower is stale, whoever
   * comes first. A tombstone comes back; columns that are not given keep what they held before.
   *
   * @param values column name to value, null for SQL's NULL
   * @throws IllegalStateException if the table's rows are {@linkplain
   *     FencedTableBuilder#deletesForGood deleted for good}
   */
  public void upsert(long token, Map<String, ? extends @Nullable Object> values, Object... key) {
    write(blind(RowOperation.Kind.UPSERT, token, values, key));
  }

  /** {@link #upsert} that returns its verdict. */
  @CheckReturnValue
  public UpdateOutcome tryUpsert(
      long token, Map<String, ? extends @Nullable Object> values, Object... key) {
    return run(blind(RowOperation.Kind.UPSERT, token, values, key)).outcome();
  }

  /**
   * Deletes a row, blindly: marks it as a tombstone that keeps the fence, or removes it.
   *
   * @throws IllegalStateException unless the table has a {@linkplain
   *     FencedTableBuilder#tombstoneColumn tombstone column} or its rows are {@linkplain
   *     FencedTableBuilder#deletesForGood deleted for good}: the fence goes with the row, and an
   *     older holder's upsert would pass
   */
  public void delete(long token, Object... key) {
    write(blind(RowOperation.Kind.DELETE, token, Collections.emptyMap(), key));
  }

  /** {@link #delete} that returns its verdict. */
  @CheckReturnValue
  public UpdateOutcome tryDelete(long token, Object... key) {
    return run(blind(RowOperation.Kind.DELETE, token, Collections.emptyMap(), key)).outcome();
  }

  /**
   * {@link #overwrite} for many rows in one transaction: all of them or none.
   *
   * <p>Give them in the same order everywhere, sorted by key for example, or two batches can
   * deadlock, which costs time.
   *
   * @throws RefusedBatchException with the verdict of each row, if one was refused for any reason
   * @throws IllegalArgumentException if a key comes twice
   */
  public void overwriteAll(long token, List<RowUpdate> rows) {
    all(RowOperation.Kind.OVERWRITE, token, rows);
  }

  /**
   * {@link #upsert} for many rows in one transaction: all of them or none; see {@link
   * #overwriteAll}.
   *
   * @throws RefusedBatchException with the verdict of each row, if one was refused for any reason
   * @throws IllegalArgumentException if a key comes twice
   */
  public void upsertAll(long token, List<RowUpdate> rows) {
    all(RowOperation.Kind.UPSERT, token, rows);
  }

  private void all(RowOperation.Kind kind, long token, List<RowUpdate> rows) {
    List<RowOperation> operations = new ArrayList<>();
    Set<List<Object>> keys = new HashSet<>();
    for (RowUpdate row : rows) {
      operations.add(operation(kind, token, row.key(), row.values()));
      if (!keys.add(row.key())) {
        throw new IllegalArgumentException(shape.row(row.key()) + " is in the batch twice");
      }
    }
    if (operations.isEmpty()) {
      return;
    }
    List<RowResult> results = runAll(operations);
    FencingException refusal = RowVerdict.ofBatch(operations, results);
    if (refusal != null) {
      throw refuse(refusal);
    }
  }

  private RowOperation blind(
      RowOperation.Kind kind,
      long token,
      Map<String, ? extends @Nullable Object> values,
      Object... key) {
    return operation(kind, token, Arrays.asList(key), values);
  }

  private RowOperation operation(
      RowOperation.Kind kind,
      long token,
      List<Object> key,
      Map<String, ? extends @Nullable Object> values) {
    long claimId = shape.claim() == null ? 0 : CLAIM_IDS.nextLong();
    FenceRow mine = new FenceRow(shape.ownGeneration(), token, claimId, null, null);
    return RowOperations.checked(kind, shape, mine, key, values);
  }

  /** A write or, with no values, a delete through the handle of {@code claim}. */
  RowOperation through(RowOperation claim, SortedMap<String, @Nullable Object> values) {
    RowOperation.Kind kind = values.isEmpty() ? RowOperation.Kind.ERASE : RowOperation.Kind.WRITE;
    return RowOperations.checked(kind, shape, claim.mine(), claim.key(), new TreeMap<>(values));
  }

  RowResult run(RowOperation operation) {
    return runAll(List.of(operation)).get(0);
  }

  private List<RowResult> runAll(List<RowOperation> operations) {
    return callers == null ? access.inOwnTransaction(operations) : access.join(callers, operations);
  }

  private void write(RowOperation operation) {
    require(operation, run(operation));
  }

  private void require(RowOperation operation, RowResult result) {
    if (!result.outcome().isApplied()) {
      throw refuse(RowVerdict.refusal(operation, result));
    }
  }

  /** Ends the caller's transaction, if there is one, for a refusal that is thrown. */
  FencingException refuse(FencingException refusal) {
    if (callers != null) {
      access.poison(callers, refusal);
    }
    return refusal;
  }
}
