package dev.fencing.jdbc;

import java.sql.Connection;
import java.util.Objects;
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
  private volatile @Nullable Death death;

  /** Why a handle is dead; each later call gets an exception of its own. */
  private interface Death {
    FencingException exception();

    default boolean renewable() {
      return false;
    }
  }

  private record Unknown(String message, Throwable cause) implements Death {
    @Override
    public UnknownOutcomeException exception() {
      return new UnknownOutcomeException(message, cause);
    }

    @Override
    public boolean renewable() {
      return true;
    }
  }

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
    return death == null;
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
    try (FencedTransaction transaction = fence.check().begin(this)) {
      T result = work.run(transaction.connection());
      transaction.commit();
      return result;
    }
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
      Death dead = death;
      if (dead != null && !dead.renewable()) {
        throw dead.exception();
      }
      FenceRow next = renewal == null ? fence.renewal(raised) : renewal;
      renewal = next;
      FencedResource renewed = fence.renew(this, next);
      judge(next);
      return renewed;
    } finally {
      renewing.unlock();
    }
  }

  @Override
  public String toString() {
    return "resource \"%s\" at token %s".formatted(resource, raised.pair());
  }

  JdbcFence fence() {
    return fence;
  }

  FenceRow raised() {
    return raised;
  }

  /** Judges what the fence holds; a refusal, if there is one, is this handle's death. */
  @Nullable FencingException judge(@Nullable FenceRow stored) {
    FencingException refusal = Verdict.ofCheck(resource, raised, stored);
    if (refusal != null) {
      death = () -> Objects.requireNonNull(Verdict.ofCheck(resource, raised, stored));
    }
    return refusal;
  }

  /** A COMMIT without an answer is this handle's death. */
  UnknownOutcomeException outcomeUnknown(Throwable cause) {
    Unknown unknown =
        new Unknown(
            "COMMIT of a transaction on %s was sent and its answer never came (%s): it may be durable, or land later, or never. This handle is dead. Call renew(), or acquire the lock anew, and read before you repeat anything"
                .formatted(this, cause),
            cause);
    death = unknown;
    return unknown.exception();
  }

  private void requireUsable() {
    Death dead = death;
    if (dead != null) {
      throw dead.exception();
    }
  }
}
