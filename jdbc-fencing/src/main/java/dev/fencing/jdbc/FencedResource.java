package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A resource whose fence has been raised to one token: the handle through which its holder writes.
 *
 * <p>{@link JdbcFence#raise} is the only way to get one, so that no work can read before the raise;
 * otherwise a late write of an older holder could still land behind the read and be lost. Read what
 * you compute from <em>after</em> the raise, from this database.
 *
 * <p>The handle is dead for good once a check found a newer raise or none, or once the answer to a
 * COMMIT was lost; every later call then throws. Thread-safe: transactions of one handle run side
 * by side on connections of their own.
 */
public final class FencedResource {

  private final JdbcFence fence;
  private final String resource;
  private final FenceRow raised;
  private final ReentrantLock renewing = new ReentrantLock();
  private @Nullable FenceRow renewal; // Drawn once, so that a renewal can be repeated.
  private final Life life = new Life();

  FencedResource(JdbcFence fence, String resource, FenceRow raised) {
    this.fence = fence;
    this.resource = resource;
    this.raised = raised;
  }

  /** The name of the fenced resource. */
  public String resource() {
    return resource;
  }

  /** The fencing token that this handle presents, greater than 0. */
  public long token() {
    return raised.token();
  }

  /** The generation that the token belongs to, 0 unless an operator has raised it. */
  public long generation() {
    return raised.generation();
  }

  /** Whether this handle has not died yet, as far as is known here; asks nobody. */
  public boolean isUsable() {
    return life.death() == null;
  }

  /**
   * Runs {@code work} in one transaction that checks the fence first, and commits it.
   *
   * <p>Takes a connection from the DataSource, locks the fence shared until the commit, so that a
   * raise by a newer holder waits for this transaction, and passes only if the fence is at exactly
   * this handle's raise. The check is retried in a new transaction when it is itself a deadlock or
   * serialization victim, within the fence's check timeout. Blocks for the check and the work. A
   * call from within {@code work} on the same handle and thread joins this transaction; if such a
   * nested call throws, the transaction is rolled back even when the outer work goes on.
   *
   * <p>How long the COMMIT may stay without an answer is for the driver to say, PostgreSQL's {@code
   * socketTimeout}: without one, a server that falls silent then keeps this call for ever.
   *
   * @param work what to do; it must not keep the connection
   * @return what {@code work} returned, after the commit
   * @throws X what {@code work} threw, after the rollback; a failed rollback is suppressed onto it
   * @throws StaleTokenException if a newer holder has raised the fence; the handle is dead
   * @throws FenceMissingException if the fence has lost this handle's raise; the handle is dead
   * @throws FenceBusyException if the check had to wait longer than the check timeout; the handle
   *     stays usable
   * @throws UnknownOutcomeException if COMMIT was sent and not answered; the handle is dead and can
   *     be {@linkplain #renew() renewed}
   * @throws IllegalStateException if the DataSource gives a connection that has joined an open
   *     transaction, which goes on as it was
   * @throws FencingException if the database failed otherwise; nothing was written and the handle
   *     stays usable
   */
  public <T extends @Nullable Object, X extends Exception> T inTransaction(
      TransactionWork<T, X> work) throws X {
    FencedTransaction open = OpenTransactions.of(this);
    if (open != null) {
      return open.join(work);
    }
    requireUsable();
    try (FencedTransaction transaction = fence.check().begin(List.of(this), null)) {
      T result = work.run(transaction.connection());
      transaction.commit();
      return result;
    }
  }

  /**
   * Runs {@code work} as {@link #inTransaction(TransactionWork)} does, but only once for every
   * operation id, whatever became of the answers.
   *
   * <p>The id is kept with the resource, in the transaction that does the work. Try again after an
   * {@link UnknownOutcomeException} with the same id, under the {@linkplain #renew() renewed}
   * handle or a new hold: if the lost COMMIT had landed, the work does not run again. An id is
   * forgotten by {@link JdbcFence#forgetOperations} only. One statement more than without an id.
   *
   * @param operationId names what is to be done, such as the id of the request, 1 to {@value
   *     JdbcFence#MAX_RESOURCE_LENGTH} characters without NUL
   * @param work what to do; it must not keep the connection
   * @return what became of it
   * @throws X what {@code work} threw, after the rollback; the operation counts as not applied
   * @throws IllegalArgumentException if the id is not as said above
   * @throws IllegalStateException inside another transaction of this handle and thread, where it
   *     could not be told apart from the rest
   * @throws FencingException as {@link #inTransaction(TransactionWork)}
   */
  public <T extends @Nullable Object, X extends Exception> OperationOutcome<T> inTransaction(
      String operationId, TransactionWork<T, X> work) throws X {
    Settings.requireOperationId(operationId);
    if (OpenTransactions.of(this) != null) {
      throw new IllegalStateException(
          "operation \"%s\" inside another transaction of %s: it would be applied or not with that one. Give the outer transaction the operation id"
              .formatted(operationId, this));
    }
    requireUsable();
    try (FencedTransaction transaction = fence.check().begin(List.of(this), operationId)) {
      FenceRow before = transaction.appliedUnder();
      if (before != null) {
        return new OperationOutcome.AlreadyApplied<>(before.generation(), before.token());
      }
      T result = work.run(transaction.connection());
      transaction.commit();
      return new OperationOutcome.Applied<>(result);
    }
  }

  /**
   * Runs one statement that changes rows, in a transaction of its own that checks the fence first.
   *
   * <p>On PostgreSQL, with a connection in autocommit mode, check, statement and commit travel
   * together: no round trip more than the plain statement, and a stale token fails on the server.
   * The transaction is READ COMMITTED there. Elsewhere, for a text with a semicolon in it, and
   * where the check has to be tried again, it is {@link #inTransaction(TransactionWork)}. A call
   * inside a transaction of this handle and thread joins that one.
   *
   * @param sql one INSERT, UPDATE, DELETE or MERGE, with {@code ?} for each parameter
   * @param parameters as for {@link java.sql.PreparedStatement#setObject(int, Object)}
   * @return the number of rows that were changed, as the driver counts them, or returned by it
   * @throws SQLException what the statement threw; nothing was written
   * @throws FencingException as {@link #inTransaction(TransactionWork)}
   */
  public int update(String sql, @Nullable Object... parameters) throws SQLException {
    requireUsable();
    if (!isObserved() && OpenTransactions.of(this) == null && fence.check().mayGoTogether(sql)) {
      int count = fence.check().update(this, sql, parameters);
      if (count != Dialect.NOT_TOGETHER) {
        return count;
      }
    }
    return inTransaction(connection -> Counts.update(connection, sql, parameters));
  }

  /**
   * Runs {@code work} with this hold bound to the current thread, for code that knows nothing of
   * fences and works on a {@link FencedDataSource}.
   *
   * <p>Opens no transaction by itself: every transaction that the work begins on such a DataSource
   * checks this fence first. Calls may be nested for several resources, all bound before the
   * transaction begins; nested for the same handle the inner call changes nothing. Other threads
   * that the work starts are under no hold.
   *
   * @return what {@code work} returned
   * @throws X what {@code work} threw
   * @throws IllegalStateException if another handle of the same resource is bound to this thread
   * @throws FencingException if the handle is dead
   */
  public <T extends @Nullable Object, X extends Exception> T call(FencedWork<T, X> work) throws X {
    requireUsable();
    return BoundHolds.call(this, work);
  }

  /**
   * Checks the fence in the caller's own open transaction, as its first statement.
   *
   * <p>Holds the fence shared until that transaction ends. It must come before every read and write
   * of the transaction and before every savepoint: a check after an earlier read at REPEATABLE READ
   * does not see that the read is old, and rolling back to a savepoint that was set before would
   * undo a refusal. After a refusal, or a check that failed, the server will not commit the
   * transaction, whatever the caller does with the exception; note that PostgreSQL's driver answers
   * such a commit normally. Where the driver undoes even that ({@code autosave=always}), the
   * connection is cut instead.
   *
   * <p>If the answer to the COMMIT of that transaction is lost, which this handle cannot see, call
   * {@link #renew()} and go on with what it returns only. Do not raise the same resource on this
   * thread before that transaction has ended: the raise would wait for it.
   *
   * @param connection in a transaction that has done nothing yet
   * @throws IllegalStateException if the connection is in autocommit mode, where the check would
   *     end with its own statement
   * @throws StaleTokenException if a newer holder has raised the fence; the handle is dead
   * @throws FenceMissingException if the fence has lost this handle's raise; the handle is dead
   * @throws FenceBusyException if the check had to wait longer than the check timeout; the
   *     transaction must be rolled back
   * @throws FencingException if the database failed, as a serialization victim too; the transaction
   *     must be rolled back
   */
  public void check(Connection connection) {
    requireUsable();
    fence.check().join(connection, this);
  }

  /**
   * Returns a live handle in place of this one, after a COMMIT whose answer never came: one of
   * {@link #inTransaction}, or the caller's own after {@link #check}.
   *
   * <p>Waits for every open transaction of this handle to end, the one in doubt among them, within
   * the fence's raise timeout. If the fence is then still at this handle's raise, it gets a new
   * raise id in a transaction of its own, after which nothing of this handle is accepted. Read what
   * the database holds before you repeat anything. The lock may be kept.
   *
   * @return a new handle with the same token
   * @throws IllegalStateException if it is called inside an {@code inTransaction} of the same
   *     resource and thread, for which it would wait in vain
   * @throws StaleTokenException if a newer holder has raised the fence, or this handle was renewed
   *     before
   * @throws FenceMissingException if the fence has lost this handle's raise
   * @throws FenceBusyException if an open transaction did not end in time; may be called again
   * @throws FencingException if the database failed; may be called again
   */
  public FencedResource renew() {
    renewing.lock();
    try {
      Death dead = life.death();
      if (dead != null && !dead.renewable()) {
        throw dead.exception();
      }
      FenceRow next = renewal == null ? raised.withRaiseId(FenceStore.newRaiseId()) : renewal;
      renewal = next;
      FencedResource renewed = fence.renew(this, next);
      life.ends(Death.refused(resource, raised, next));
      return renewed;
    } finally {
      renewing.unlock();
    }
  }

  @Override
  public String toString() {
    return "resource \"%s\" at token %s".formatted(resource, raised.pair());
  }

  /**
   * Returns this hold as one line of ASCII, for {@link JdbcFence#attach} in a worker process that
   * shares the hold. Whoever has it can write under this token: hand it on as you would a password.
   */
  public String toText() {
    return HoldText.of(resource, raised);
  }

  /** Whether refusals are reported and not thrown. */
  boolean isObserved() {
    return fence.store().isObserved(resource);
  }

  JdbcFence fence() {
    return fence;
  }

  FenceRow raised() {
    return raised;
  }

  /** Judges what the fence holds at a check, and tells the listeners. */
  @Nullable FencingException judge(@Nullable FenceRow stored) {
    FencingException refusal = refusedBy(stored);
    if (refusal == null) {
      fence.store().events().accepted(resource, token());
    }
    return fence.store().reported(resource, refusal);
  }

  /** Returns why the fence refuses this handle, which is its death unless it is observed. */
  @Nullable FencingException refusedBy(@Nullable FenceRow stored) {
    FencingException refusal = Verdict.ofCheck(resource, raised, stored);
    if (refusal != null && !isObserved()) {
      life.ends(Death.refused(resource, raised, stored));
    }
    return refusal;
  }

  /** A COMMIT without an answer is this handle's death. */
  UnknownOutcomeException outcomeUnknown(Throwable cause) {
    Death.Unknown unknown = Death.Unknown.of(this, cause);
    life.ends(unknown);
    return fence.store().events().unknown(resource, unknown.exception());
  }

  void requireUsable() {
    life.require();
  }
}
