package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The check that comes first in a fenced transaction, and what becomes of one that fails. */
final class FenceCheck {

  private final DataSource dataSource;
  private final Dialects dialects;
  private final Duration bound;
  private final FenceEvents events;

  FenceCheck(DataSource dataSource, Dialects dialects, Duration bound, FenceEvents events) {
    this.dataSource = dataSource;
    this.dialects = dialects;
    this.bound = bound;
    this.events = events;
  }

  /**
   * Opens a transaction that has passed the checks; no work has run if it is tried again.
   *
   * @param handles in the order of their names, in which every transaction takes its locks
   * @param operationId of what the work of the first handle applies once, null if it has none
   */
  FencedTransaction begin(List<FencedResource> handles, @Nullable String operationId) {
    long start = System.nanoTime();
    while (true) {
      FencedResource current = handles.get(0);
      LocalTransaction transaction = connect(current);
      try {
        Dialect dialect = dialects.of(transaction.connection());
        for (FencedResource handle : handles) {
          current = handle;
          Duration left = bound.minusNanos(System.nanoTime() - start);
          transaction.limitSilence(left.plus(LocalTransaction.GRACE));
          FencingException refusal = judge(handle, dialect, transaction.connection(), left);
          if (refusal != null) {
            throw refusal;
          }
        }
        FenceRow applied = null;
        if (operationId != null) {
          current = handles.get(0);
          applied =
              dialect.recordOperation(
                  transaction.connection(), current.resource(), operationId, current.raised());
        }
        transaction.unlimitSilence();
        return new FencedTransaction(handles, dialect, transaction, applied);
      } catch (SQLException e) {
        transaction.closeAfter(e);
        long waited = System.nanoTime() - start;
        if (dialects.classify(e) != Dialect.Failure.RETRY || waited >= bound.toNanos()) {
          throw failed(current, e, waited);
        }
      } catch (RuntimeException | Error e) {
        transaction.closeAfter(e);
        throw e;
      }
    }
  }

  /**
   * Checks in the transaction that the next statement on {@code raw} begins, and leaves none open
   * if it throws.
   */
  void begin(Connection raw, List<FencedResource> handles) throws SQLException {
    long start = System.nanoTime();
    while (true) {
      FencedResource current = handles.get(0);
      try {
        Dialect dialect = dialects.known();
        for (FencedResource handle : handles) {
          current = handle;
          handle.requireUsable();
          Duration left = bound.minusNanos(System.nanoTime() - start);
          FencingException refusal = judge(handle, dialect, raw, left);
          if (refusal != null) {
            throw refusal;
          }
        }
        return;
      } catch (SQLException e) {
        rollBack(raw, e);
        long waited = System.nanoTime() - start;
        if (dialects.classify(e) != Dialect.Failure.RETRY || waited >= bound.toNanos()) {
          throw failed(current, e, waited);
        }
      } catch (RuntimeException | Error e) {
        rollBack(raw, e);
        throw e;
      }
    }
  }

  private static void rollBack(Connection raw, Throwable cause) {
    try {
      raw.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
      LocalTransaction.abort(raw, cause);
    }
  }

  /** Whether the server keeps the open transaction read-only; it has done nothing yet. */
  boolean isReadOnly(Connection connection) throws SQLException {
    return dialects.of(connection).isReadOnly(connection);
  }

  /** Refuses a text that would end a fenced transaction, or begin one past the check. */
  void look(String sql, FollowedTransaction transaction) throws SQLException {
    TransactionTexts.look(dialects.rules(), sql, transaction);
  }

  /** Whether it is one statement that reads or writes rows, and ends as it begins. */
  boolean mayGoTogether(String sql) {
    return TransactionTexts.mayGoTogether(dialects.rules(), sql);
  }

  boolean endsTransaction(Connection connection, SQLException failure) {
    return dialects.known().endsTransaction(connection, failure);
  }

  boolean isAborted(Connection connection) throws SQLException {
    return dialects.known().isAborted(connection);
  }

  boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return dialects.known().commitMayHaveHappened(connection, failure);
  }

  private static @Nullable FencingException judge(
      FencedResource handle, Dialect dialect, Connection connection, Duration left)
      throws SQLException {
    // Who is only observed must not keep anybody waiting.
    return handle.judge(
        handle.isObserved()
            ? dialect.read(connection, handle.resource())
            : dialect.check(connection, handle.resource(), handle.raised(), left));
  }

  /**
   * Runs one guarded statement together with its check, where that can be done.
   *
   * @return the update count, or {@link Dialect#NOT_TOGETHER} if nothing was written
   * @throws SQLException what the statement itself has thrown
   */
  int update(FencedResource handle, String sql, @Nullable Object[] parameters) throws SQLException {
    Connection connection = open(handle);
    SQLException failure = null;
    try {
      // A text that says BEGIN by itself would not be read-only, as the driver's would.
      if (!connection.getAutoCommit() || connection.isReadOnly()) {
        return Dialect.NOT_TOGETHER;
      }
      Dialect dialect = dialects.known();
      try {
        int count =
            dialect.update(connection, handle.resource(), handle.raised(), bound, sql, parameters);
        if (count != Dialect.NOT_TOGETHER) {
          events.accepted(handle.resource(), handle.token());
        }
        return count;
      } catch (SQLException e) {
        failure = e;
        if (dialect.commitMayHaveHappened(connection, e)) {
          throw handle.outcomeUnknown(e);
        }
        // 08003: the pool gave a connection that was closed before.
        if (dialect.isRefusal(e) || "08003".equals(e.getSQLState())) {
          return Dialect.NOT_TOGETHER; // The long way finds the verdict.
        }
        throw e;
      } catch (RuntimeException | Error e) {
        LocalTransaction.abort(connection, e);
        throw handle.outcomeUnknown(e);
      }
    } finally {
      giveBack(connection, failure);
    }
  }

  private static void giveBack(Connection connection, @Nullable SQLException failure) {
    try {
      connection.close();
    } catch (SQLException e) {
      if (failure != null) {
        failure.addSuppressed(e);
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
      Dialect dialect = dialects.known();
      dialect.requireJoinable(connection);
      refusal = judge(handle, dialect, connection, bound);
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
      return new LocalTransaction(open(handle));
    } catch (SQLException e) {
      throw noConnection(handle, e);
    }
  }

  private Connection open(FencedResource handle) {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw noConnection(handle, e);
    }
  }

  private static FencingException noConnection(FencedResource handle, SQLException e) {
    return new FencingException(
        "no connection for a transaction on %s: %s (SQLState %s). Nothing was written"
            .formatted(handle, e.getMessage(), e.getSQLState()),
        e);
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
      dialects.known().poison(connection);
    } catch (SQLException e) {
      // What cannot be poisoned is cut: without a connection there is no commit either.
      refusal.addSuppressed(e);
      LocalTransaction.abort(connection, refusal);
    }
  }

  private FencingException failed(FencedResource handle, SQLException e, long nanos) {
    long waited = TimeUnit.NANOSECONDS.toMillis(nanos);
    if (dialects.classify(e) == Dialect.Failure.LOCK_TIMEOUT) {
      FenceBusyException busy =
          new FenceBusyException(
              "the check of %s waited %d ms for a raise in progress, or for another try of the same operation, and gave up. Nothing was written; it may be tried again. To find what that waits for: %s"
                  .formatted(handle, waited, dialects.known().howToFindBlockers()),
              e);
      events.busy(handle.resource(), busy, false);
      return busy;
    }
    return new FencingException(
        "the check of %s failed after %d ms: %s (SQLState %s). Nothing was written"
            .formatted(handle, waited, e.getMessage(), e.getSQLState()),
        e);
  }
}
