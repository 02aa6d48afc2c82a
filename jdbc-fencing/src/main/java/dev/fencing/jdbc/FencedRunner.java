package dev.fencing.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The whole order in one call: acquire the lock, raise the fence, work, release.
 *
 * <p>It knows no lock service: a lease is anything that can be closed and has a token.
 *
 * <pre>{@code
 * var runner = FencedRunner.of(fence, "ledger", mutex::acquireLease, FencedLease::token);
 * runner.inTransaction(connection -> post(connection, entry));
 * }</pre>
 *
 * <p>Not re-entrant: a call from within the work waits for a lock that its own thread holds. Use
 * the {@link FencedResource} that {@link #run} gives to the work.
 *
 * <p>Only work with an operation id is retried. Without one, after a {@link StaleTokenException}
 * call it again, which acquires anew; after an {@link UnknownOutcomeException} read first what the
 * database holds. Thread-safe if the source of leases is; every call takes a lease of its own.
 */
public final class FencedRunner {

  private static final System.Logger LOG = System.getLogger(FencedRunner.class.getName());

  private final String resource;
  private final Run run;

  /** Hides the type of the lease. */
  private interface Run {
    <T extends @Nullable Object, X extends Exception> T under(FencedWork<T, X> work) throws X;
  }

  private FencedRunner(String resource, Run run) {
    this.resource = resource;
    this.run = run;
  }

  /**
   * Returns a runner for one resource.
   *
   * @param fence the fences of the database
   * @param resource what is protected, as for {@link JdbcFence#raise}
   * @param source acquires the lock; each lease is closed after the work, and must not be null
   * @param token the fencing token of a lease, greater than 0
   * @param <L> the lease
   */
  public static <L extends AutoCloseable> FencedRunner of(
      JdbcFence fence, String resource, LeaseSource<L> source, ToLongFunction<? super L> token) {
    return of(fence, resource, source, token, lease -> null);
  }

  /**
   * Returns a runner for one resource that says where its tokens come from, as {@link
   * JdbcFence#raise(String, long, String)} does.
   *
   * @param fence as above
   * @param resource as above
   * @param source as above
   * @param token as above
   * @param origin of the token of a lease, such as {@code FencedLease::lockPath}; may give null
   * @param <L> the lease
   */
  public static <L extends AutoCloseable> FencedRunner of(
      JdbcFence fence,
      String resource,
      LeaseSource<L> source,
      ToLongFunction<? super L> token,
      Function<? super L, @Nullable String> origin) {
    Objects.requireNonNull(origin, "origin");
    Objects.requireNonNull(fence, "fence");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(token, "token");
    Settings.requireResource(resource);
    return new FencedRunner(
        resource,
        new Run() {
          @Override
          public <T extends @Nullable Object, X extends Exception> T under(FencedWork<T, X> work)
              throws X {
            L lease = acquire(source, resource);
            T result;
            try {
              result =
                  work.run(fence.raise(resource, token.applyAsLong(lease), origin.apply(lease)));
            } catch (Throwable e) {
              release(lease, e);
              throw e;
            }
            release(lease, null);
            return result;
          }
        });
  }

  /**
   * Runs {@code work} in one fenced transaction under a hold of its own.
   *
   * @return what {@code work} returned, after the commit and the release
   * @throws X what {@code work} threw, after the rollback and the release
   * @throws FencingException as {@link #run} and {@link FencedResource#inTransaction} do
   */
  public <T extends @Nullable Object, X extends Exception> T inTransaction(
      TransactionWork<T, X> work) throws X {
    return run(resource -> resource.inTransaction(work));
  }

  /**
   * Runs {@code work} in one fenced transaction, applied once, and tries again until its outcome is
   * known.
   *
   * <p>When the answer to a COMMIT is lost, the handle is renewed under the same lock, or where a
   * newer holder has raised the fence, the lock is acquired anew; then the same operation is tried
   * again, and does not run if the lost COMMIT had landed. A refused token is retried only under a
   * new acquisition. Whatever else goes wrong is thrown at once, for nothing was written.
   *
   * <p>Blocks up to {@code deadline} plus one last try of the lock, the raise and the work.
   *
   * @param operationId as for {@link FencedResource#inTransaction(String, TransactionWork)}; made
   *     once for the operation, and not once for the call
   * @param deadline after which no new try begins, zero or more
   * @return what became of the operation
   * @throws X what {@code work} threw, after the rollback and the release
   * @throws UnknownOutcomeException if the outcome is still unknown at the deadline; call it again
   *     with the same id
   * @throws StaleTokenException if every try until the deadline was refused
   * @throws LeaseUnavailableException if the lock could not be acquired
   * @throws FencingException if the database failed
   */
  public <T extends @Nullable Object, X extends Exception> OperationOutcome<T> inTransaction(
      String operationId, Duration deadline, TransactionWork<T, X> work) throws X {
    Settings.requireOperationId(operationId);
    Retries retries = new Retries(deadline);
    while (true) {
      try {
        return run(resource -> retries.untilKnown(resource, operationId, work));
      } catch (StaleTokenException refused) {
        if (!refused.resource().equals(resource)) { // Of something that the work has called.
          throw retries.outcomeOf(refused);
        }
        retries.afterRefusal(refused);
      } catch (FencingException failed) {
        throw retries.outcomeOf(failed);
      }
    }
  }

  /**
   * Runs {@code work}, which may open many fenced transactions, under a hold of its own.
   *
   * <p>Blocks for the lock, the raise and the work. The lease is closed last, whatever happened; a
   * failure to close it is suppressed onto the failure of the work, or logged when there is none,
   * for what was committed is committed.
   *
   * @return what {@code work} returned
   * @throws X what {@code work} threw, after the release
   * @throws LeaseUnavailableException if the lock could not be acquired; its cause is what the
   *     source threw, and after an InterruptedException the interrupt status is set again
   * @throws FencingException as {@link JdbcFence#raise} does
   */
  public <T extends @Nullable Object, X extends Exception> T run(FencedWork<T, X> work) throws X {
    return run.under(work);
  }

  private static <L extends AutoCloseable> L acquire(LeaseSource<L> source, String resource) {
    try {
      return Objects.requireNonNull(source.acquire(), "the source of leases returned null");
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new LeaseUnavailableException(
          "the lock for resource \"%s\" could not be acquired: %s. Nothing was raised or written"
              .formatted(resource, e),
          e);
    }
  }

  private static void release(AutoCloseable lease, @Nullable Throwable failure) {
    try {
      lease.close();
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (failure != null) {
        failure.addSuppressed(e);
      } else {
        LOG.log(System.Logger.Level.WARNING, "the work is done but its lease was not released", e);
      }
    }
  }
}
