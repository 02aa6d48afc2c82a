package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The check that comes first in a fenced transaction, and what becomes of one that fails. */
final class FenceCheck {

  private final DataSource dataSource;
  private final Dialect dialect;
  private final Duration bound;

  FenceCheck(DataSource dataSource, Dialect dialect, Duration bound) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.bound = bound;
  }

  /** Opens a transaction that has passed the check; no work has run if it is tried again. */
  FencedTransaction begin(FencedResource handle) {
    long start = System.nanoTime();
    while (true) {
      LocalTransaction transaction = connect(handle);
      try {
        Duration left = bound.minusNanos(System.nanoTime() - start);
        transaction.limitSilence(left.plus(LocalTransaction.GRACE));
        FencingException refusal =
            handle.judge(dialect.check(transaction.connection(), handle.resource(), left));
        if (refusal == null) {
          transaction.unlimitSilence();
          return new FencedTransaction(handle, dialect, transaction);
        }
        throw refusal;
      } catch (SQLException e) {
        transaction.closeAfter(e);
        long waited = System.nanoTime() - start;
        if (dialect.classify(e) != Dialect.Failure.RETRY || waited >= bound.toNanos()) {
          throw failed(handle, e, waited);
        }
      } catch (RuntimeException | Error e) {
        transaction.closeAfter(e);
        throw e;
      }
    }
  }

  /** Checks in the caller's transaction; if refused, the server will not commit it. */
  void join(Connection connection, FencedResource handle) {
    long start = System.nanoTime();
    FencingException refusal;
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "the connection is in autocommit mode: a check of %s would end with its own statement and protect nothing. Call setAutoCommit(false) first, or use inTransaction"
                .formatted(handle));
      }
      refusal = handle.judge(dialect.check(connection, handle.resource(), bound));
    } catch (SQLException e) {
      refusal = failed(handle, e, System.nanoTime() - start);
    }
    if (refusal != null) {
      poison(connection, refusal);
      throw refusal;
    }
  }

  private LocalTransaction connect(FencedResource handle) {
    try {
      return new LocalTransaction(dataSource.getConnection());
    } catch (SQLException e) {
      throw new FencingException(
          "no connection for a transaction on %s: %s (SQLState %s). Nothing was written"
              .formatted(handle, e.getMessage(), e.getSQLState()),
          e);
    }
  }

  /**
   * Makes sure that the transaction is never committed. A failed statement is not enough: a driver
   * that sets savepoints by itself would roll back to the one before it.
   */
  private void poison(Connection connection, FencingException refusal) {
    GuardedConnection view = GuardedConnection.of(connection);
    if (view != null) {
      view.refuseCommit(refusal);
      return;
    }
    try {
      dialect.poison(connection);
    } catch (SQLException e) {
      // What cannot be poisoned is cut: without a connection there is no commit either.
      refusal.addSuppressed(e);
      LocalTransaction.abort(connection, refusal);
    }
  }

  private FencingException failed(FencedResource handle, SQLException e, long nanos) {
    long waited = TimeUnit.NANOSECONDS.toMillis(nanos);
    return dialect.classify(e) == Dialect.Failure.LOCK_TIMEOUT
        ? new FenceBusyException(
            "the check of %s waited %d ms for a raise in progress and gave up. Nothing was written; it may be tried again. To find what that raise waits for: %s"
                .formatted(handle, waited, dialect.howToFindBlockers()),
            e)
        : new FencingException(
            "the check of %s failed after %d ms: %s (SQLState %s). Nothing was written"
                .formatted(handle, waited, e.getMessage(), e.getSQLState()),
            e);
  }
}
