package dev.fencing.spring;

import dev.fencing.jdbc.JdbcFence;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;

/**
 * What {@link Fenced} does, in code: lock, raise, transaction, work, commit, release.
 *
 * <p>A call for a resource that this thread holds already joins that hold, and its transaction.
 * Immutable and thread-safe; the {@code with…} methods return changed copies.
 */
public final class FencedTemplate {

  /**
   * What is done under a hold.
   *
   * @param <T> what it returns
   * @param <X> what it throws
   */
  @FunctionalInterface
  public interface Work<T extends @Nullable Object, X extends Exception> {

    /** Runs under the hold, on the caller's thread. */
    T run(FencedHold hold) throws X;
  }

  private final FencedCalls calls;
  private final TransactionRunner transactions;
  private final Duration wait;

  /**
   * Makes a template with the wait of the locks and a transaction of default settings.
   *
   * @param locks where the locks are
   * @param fence whose {@code FencedDataSource} the transaction manager works on
   * @param transactionManager of that DataSource
   * @throws IllegalArgumentException if the transaction manager is seen to work on a DataSource
   *     that no fence is over, or another one
   */
  public FencedTemplate(
      FencedLocks locks, JdbcFence fence, PlatformTransactionManager transactionManager) {
    this(
        new FencedCalls(locks, fence),
        new TransactionRunner(transactionManager, fence, TransactionDefinition.withDefaults()),
        locks.defaultWait());
  }

  private FencedTemplate(FencedCalls calls, TransactionRunner transactions, Duration wait) {
    this.calls = calls;
    this.transactions = transactions;
    this.wait = wait;
  }

  /**
   * Returns a template that waits so long for the lock.
   *
   * @param wait zero: not at all
   * @throws IllegalArgumentException if it is negative
   */
  public FencedTemplate withWait(Duration wait) {
    return new FencedTemplate(calls, transactions, FencedLocks.requireWait(wait));
  }

  /** Returns a template whose transactions have these settings. */
  public FencedTemplate withTransaction(TransactionDefinition definition) {
    return new FencedTemplate(
        calls, transactions.with(Objects.requireNonNull(definition, "definition")), wait);
  }

  /**
   * Runs {@code work} in one transaction under a hold of the resource.
   *
   * <p>Blocks for the lock, the raise, the work and the commit; every exception rolls back. Then
   * the lock is released.
   *
   * @param resource a name under the lock root; values in it go through {@link
   *     FencedLocks#resource}
   * @return what {@code work} returned, after the commit and the release
   * @throws X what {@code work} threw, after the rollback and the release
   * @throws IllegalStateException inside an active transaction, unless it is under a hold of the
   *     same resource
   * @throws dev.fencing.jdbc.LeaseUnavailableException if the lock was busy for too long, or
   *     ZooKeeper did not answer; nothing was raised or written
   * @throws dev.fencing.jdbc.FencingException as {@code FencedResource.inTransaction} does, also
   *     where Spring has wrapped it
   */
  public <T extends @Nullable Object, X extends Exception> T execute(
      String resource, Work<T, X> work) throws X {
    return Unwrapped.call(
        () -> calls.call(List.of(resource), wait, hold -> transactions.run(() -> work.run(hold))));
  }

  /**
   * Runs {@code work}, which may open several transactions, under a hold of the resource.
   *
   * @return what {@code work} returned, after the release
   * @throws X as {@link #execute}, and all the others
   */
  public <T extends @Nullable Object, X extends Exception> T run(String resource, Work<T, X> work)
      throws X {
    return Unwrapped.call(() -> calls.call(List.of(resource), wait, work));
  }
}
