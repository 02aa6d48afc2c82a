package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A raise or a renewal in a transaction of its own, committed, within one total bound.
 *
 * <p>It may be repeated after every failure, a lost answer to its COMMIT included, because it
 * writes the same raise id again.
 */
final class OwnTransaction {

  /** One try, in an open transaction; returns why it must not be committed, null if nothing. */
  @FunctionalInterface
  interface Step {
    @Nullable FencingException run(Connection connection, Dialect dialect, Duration bound)
        throws SQLException;
  }

  /** Between tries while the database cannot be reached. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final DataSource dataSource;
  private final Dialects dialects;
  private final String what;
  private final String resource;
  private final Duration bound;
  private final String inDoubt;
  private final long start = System.nanoTime();
  private boolean mayBeCommitted;

  /**
   * @param what is done, for messages
   * @param inDoubt what to do when the answer to the COMMIT was lost, for messages
   */
  OwnTransaction(
      DataSource dataSource,
      Dialects dialects,
      String what,
      String resource,
      Duration bound,
      String inDoubt) {
    this.inDoubt = inDoubt;
    this.dataSource = dataSource;
    this.dialects = dialects;
    this.what = what;
    this.resource = resource;
    this.bound = bound;
  }

  /**
   * Runs {@code step} and commits it. Several steps in a row share one bound.
   *
   * @throws FencingException what {@code step} returned
   * @throws FenceBusyException if other transactions were in the way for the whole bound
   * @throws FencingException if the database failed
   */
  void commit(Step step) {
    run(step, true);
  }

  /** Runs {@code step}, which changes nothing, and ends its transaction without a COMMIT. */
  void read(Step step) {
    run(step, false);
  }

  private void run(Step step, boolean commit) {
    SQLException last = null;
    while (last == null || remaining().compareTo(Duration.ZERO) > 0) {
      Connection connection;
      try {
        connection = dataSource.getConnection();
      } catch (SQLException e) {
        last = e;
        if (dialects.classify(e) != Dialect.Failure.CONNECTION) {
          break;
        }
        pause(e);
        continue;
      }
      boolean committing = false;
      try (LocalTransaction transaction = new LocalTransaction(connection)) {
        transaction.limitSilence(remaining().plus(LocalTransaction.GRACE));
        FencingException refusal = step.run(connection, dialects.of(connection), remaining());
        if (refusal != null) {
          throw refusal;
        }
        if (commit) {
          committing = true;
          transaction.limitSilence(remaining().plus(LocalTransaction.GRACE));
          transaction.commit();
        }
        return;
      } catch (SQLException e) {
        last = e;
        mayBeCommitted |= committing && dialects.known().commitMayHaveHappened(connection, e);
        switch (dialects.classify(e)) {
          case LOCK_TIMEOUT -> throw busy(e);
          case RETRY -> {}
          case CONNECTION -> pause(e);
          case OTHER -> throw failed(e);
        }
      }
    }
    throw dialects.classify(last) == Dialect.Failure.RETRY ? busy(last) : failed(last);
  }

  private Duration remaining() {
    return bound.minusNanos(System.nanoTime() - start);
  }

  private FencingException busy(SQLException cause) {
    if (mayBeCommitted) {
      return failed(cause);
    }
    return new FenceBusyException(
        "%s did not get past other transactions within %d ms (waited %d ms). Open transactions that passed the check of this fence, a frozen holder's among them, must end first. %s. Nothing was written; it may be tried again."
            .formatted(what, bound.toMillis(), waitedMillis(), blockers()),
        cause);
  }

  private String blockers() {
    try (LocalTransaction transaction = new LocalTransaction(dataSource.getConnection())) {
      transaction.limitSilence(LocalTransaction.GRACE);
      return dialects.known().blockers(transaction.connection(), resource);
    } catch (SQLException e) {
      return "To find them: " + dialects.known().howToFindBlockers();
    }
  }

  private FencingException failed(SQLException cause) {
    return new FencingException(
        "%s failed after %d ms: %s (SQLState %s). %s"
            .formatted(
                what, waitedMillis(), cause.getMessage(), cause.getSQLState(), outcomeInWords()),
        cause);
  }

  private String outcomeInWords() {
    return mayBeCommitted ? inDoubt : "Nothing was written.";
  }

  private long waitedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private void pause(SQLException failure) {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      FencingException interrupted =
          new FencingException(
              "%s was interrupted after %d ms without a connection: %s. %s"
                  .formatted(what, waitedMillis(), failure.getMessage(), outcomeInWords()),
              e);
      interrupted.addSuppressed(failure);
      throw interrupted;
    }
  }
}
