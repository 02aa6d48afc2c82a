package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A raise or a renewal in a transaction of its own, committed, within one total bound.
 *
 * <p>It may be repeated after every failure, a lost answer to its COMMIT included, because it
 * writes the same raise id again.
 */
final class OwnTransaction {

  /** One try, in an open transaction. */
  @FunctionalInterface
  interface Step {
    @Nullable FenceRow run(Connection connection, Duration bound) throws SQLException;
  }

  /** How much longer than the wait for locks the network may stay silent. */
  private static final Duration NETWORK_GRACE = Duration.ofSeconds(2);

  /** Between tries while the database cannot be reached. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final DataSource dataSource;
  private final Dialect dialect;
  private final String what;
  private final String resource;
  private final Duration bound;
  private final long start = System.nanoTime();

  OwnTransaction(
      DataSource dataSource, Dialect dialect, String what, String resource, Duration bound) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.what = what;
    this.resource = resource;
    this.bound = bound;
  }

  /**
   * Runs {@code step} and commits it once {@code verdict} finds nothing against what it left.
   *
   * @throws FencingException what {@code verdict} returned
   * @throws FenceBusyException if other transactions were in the way for the whole bound
   * @throws FencingException if the database failed
   */
  void commit(Step step, Function<@Nullable FenceRow, @Nullable FencingException> verdict) {
    SQLException last = null;
    boolean mayBeCommitted = false;
    while (last == null || remaining().compareTo(Duration.ZERO) > 0) {
      Connection connection;
      try {
        connection = dataSource.getConnection();
      } catch (SQLException e) {
        last = e;
        if (dialect.classify(e) != Dialect.Failure.CONNECTION) {
          break;
        }
        pause();
        continue;
      }
      boolean committing = false;
      try (LocalTransaction transaction = new LocalTransaction(connection)) {
        transaction.limitSilence(remaining().plus(NETWORK_GRACE));
        FenceRow stored = step.run(connection, remaining());
        FencingException refusal = verdict.apply(stored);
        if (refusal != null) {
          throw refusal;
        }
        committing = true;
        transaction.commit();
        return;
      } catch (SQLException e) {
        last = e;
        mayBeCommitted |= committing && dialect.commitMayHaveHappened(e);
        switch (dialect.classify(e)) {
          case LOCK_TIMEOUT -> throw busy(e);
          case RETRY -> {}
          case CONNECTION -> pause();
          case OTHER -> throw failed(e, mayBeCommitted);
        }
      }
    }
    throw dialect.classify(last) == Dialect.Failure.RETRY
        ? busy(last)
        : failed(last, mayBeCommitted);
  }

  private Duration remaining() {
    return bound.minusNanos(System.nanoTime() - start);
  }

  private FenceBusyException busy(SQLException cause) {
    return new FenceBusyException(
        "%s did not get past other transactions within %d ms (waited %d ms). Open transactions that passed the check of this fence, a frozen holder's among them, must end first. %s. Nothing was written; it may be tried again."
            .formatted(what, bound.toMillis(), waitedMillis(), blockers()),
        cause);
  }

  private String blockers() {
    try (LocalTransaction transaction = new LocalTransaction(dataSource.getConnection())) {
      transaction.limitSilence(NETWORK_GRACE);
      return dialect.blockers(transaction.connection(), resource);
    } catch (SQLException e) {
      return "To find them: " + dialect.howToFindBlockers();
    }
  }

  private FencingException failed(SQLException cause, boolean mayBeCommitted) {
    return new FencingException(
        "%s failed after %d ms: %s (SQLState %s). %s"
            .formatted(
                what,
                waitedMillis(),
                cause.getMessage(),
                cause.getSQLState(),
                mayBeCommitted
                    ? "The answer to its COMMIT was lost, so it may be in the fence; the same token cannot be raised again. Release the lock and acquire it anew."
                    : "Nothing was raised."),
        cause);
  }

  private long waitedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FencingException(
          what + " was interrupted after " + waitedMillis() + " ms without a connection", e);
    }
  }
}
