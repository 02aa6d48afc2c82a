package dev.fencing.jdbc;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A row whose fence a claim has raised: what it held at that moment, and the only way to write what
 * is computed from it.
 *
 * <p>A write passes only if the row's fence is still exactly what the claim has stored; nobody else
 * has written the row then, so that no update is lost. It does not change the fence, and may be
 * repeated as often as the work likes.
 *
 * <p>The handle is dead for good once a write was refused, or once the answer to its COMMIT was
 * lost; every later call then throws, or returns, the same. Thread-safe: writes of one handle take
 * turns, but threads that compute from the same values can lose each other's updates.
 */
public final class FencedRow {

  private record Refused(UpdateOutcome outcome, Supplier<FencingException> exception) {}

  private final FencedTable table;
  private final RowOperation claim;
  private final ReentrantLock writing = new ReentrantLock();
  private volatile Map<String, @Nullable Object> values;
  private volatile boolean deleted;
  private volatile @Nullable Refused refused;
  private volatile @Nullable UnknownOutcomeException unknown;

  FencedRow(FencedTable table, RowOperation claim, RowResult result) {
    this.table = table;
    this.claim = claim;
    Map<String, @Nullable Object> read = new TreeMap<>(result.values());
    claim.shape().stateColumns().forEach(read::remove);
    this.values = Collections.unmodifiableMap(read);
    RowState found = result.found();
    this.deleted = found != null && found.deleted();
  }

  /** The values of the key columns. */
  public List<Object> key() {
    return claim.key();
  }

  /** The fencing token that this handle presents, greater than 0. */
  public long token() {
    return claim.mine().token();
  }

  /**
   * The columns of the row as the claim has read them, names in lower case, with what this handle
   * has written since, as it was given. Without the library's own columns. Immutable.
   */
  public Map<String, @Nullable Object> values() {
    return values;
  }

  /**
   * One column, as the driver reads it.
   *
   * @throws IllegalArgumentException if the row has no such column
   */
  public @Nullable Object get(String column) {
    Map<String, @Nullable Object> present = values;
    if (!present.containsKey(column)) {
      throw new IllegalArgumentException(
          "%s has no column \"%s\", it has %s".formatted(this, column, present.keySet()));
    }
    return present.get(column);
  }

  /**
   * One column as a whole number.
   *
   * @throws IllegalArgumentException if the row has no such column, or it is NULL or no number
   * @throws ArithmeticException if it has a fraction or does not fit
   */
  public long getLong(String column) {
    Object value = get(column);
    if (value instanceof Number number) {
      return new BigDecimal(number.toString()).longValueExact();
    }
    throw new IllegalArgumentException(
        "column \"%s\" of %s is no number but %s".formatted(column, this, value));
  }

  /** Whether the row is a tombstone; a write brings it back. */
  public boolean isDeleted() {
    return deleted;
  }

  /** Whether this handle has not died yet, as far as is known here; asks nobody. */
  public boolean isUsable() {
    return refused == null && unknown == null;
  }

  /**
   * Writes values that were computed from this row; brings a tombstone back.
   *
   * @param changed column name to value, null for SQL's NULL; at least one
   * @throws StaleTokenException if the row has seen a newer holder, or a newer claim of this token
   * @throws FenceMissingException if the row is gone, or the database has lost the claim
   * @throws FenceSchemaException if a trigger or a rule has swallowed the write
   * @throws FenceBusyException if other transactions were in the way; the handle stays usable
   * @throws UnknownOutcomeException if COMMIT was sent and not answered
   * @throws FencingException if the database failed; the handle stays usable
   */
  public void write(Map<String, ? extends @Nullable Object> changed) {
    require(tryWrite(changed));
  }

  /** {@link #write} that returns its verdict. */
  @CheckReturnValue
  public UpdateOutcome tryWrite(Map<String, ? extends @Nullable Object> changed) {
    if (changed.isEmpty()) {
      throw new IllegalArgumentException("no values to write to " + claim.row());
    }
    return run(new TreeMap<>(changed));
  }

  /**
   * Deletes the row: marks it as a tombstone, after which the handle goes on, or removes it.
   *
   * @throws IllegalStateException unless the table has tombstones or deletes for good
   * @throws StaleTokenException and so on, as {@link #write}
   */
  public void delete() {
    require(tryDelete());
  }

  /** {@link #delete} that returns its verdict. */
  @CheckReturnValue
  public UpdateOutcome tryDelete() {
    return run(new TreeMap<>());
  }

  private UpdateOutcome run(SortedMap<String, @Nullable Object> changed) {
    RowOperation operation = table.through(claim, changed);
    writing.lock();
    try {
      UnknownOutcomeException doubt = unknown;
      if (doubt != null) {
        throw new UnknownOutcomeException(String.valueOf(doubt.getMessage()), doubt);
      }
      Refused before = refused;
      if (before != null) {
        return before.outcome();
      }
      RowResult result = table.run(operation);
      if (result.outcome().isApplied()) {
        remember(operation);
      } else {
        refused = new Refused(result.outcome(), () -> RowVerdict.refusal(operation, result));
      }
      return result.outcome();
    } catch (UnknownOutcomeException e) {
      unknown = e;
      throw e;
    } finally {
      writing.unlock();
    }
  }

  private void remember(RowOperation operation) {
    Map<String, @Nullable Object> present = new TreeMap<>(values);
    present.putAll(operation.values());
    values = Collections.unmodifiableMap(present);
    deleted = operation.deletes();
  }

  private void require(UpdateOutcome outcome) {
    Refused present = refused;
    if (!outcome.isApplied() && present != null) {
      throw table.refuse(present.exception().get());
    }
  }

  @Override
  public String toString() {
    return "%s at token %s".formatted(claim.row(), claim.mine().pair());
  }
}
