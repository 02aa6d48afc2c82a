package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One open transaction that has passed the check, for the thread that opened it. */
final class FencedTransaction implements AutoCloseable {

  private final List<FencedResource> handles;
  private final @Nullable FenceRow appliedUnder;
  private final Dialect dialect;
  private final LocalTransaction transaction;
  private final GuardedConnection guard;
  private @Nullable Throwable joinedFailure;

  /**
   * @param appliedUnder the raise under which its operation was applied before, null if it was not
   */
  FencedTransaction(
      List<FencedResource> handles,
      Dialect dialect,
      LocalTransaction transaction,
      @Nullable FenceRow appliedUnder) {
    this.handles = handles;
    this.dialect = dialect;
    this.transaction = transaction;
    this.appliedUnder = appliedUnder;
    this.guard = new GuardedConnection(names(), transaction.connection(), dialect);
    handles.forEach(handle -> OpenTransactions.add(handle, this));
  }

  private String names() {
    return handles.stream().map(FencedResource::resource).collect(Collectors.joining("\", \""));
  }

  @Nullable FenceRow appliedUnder() {
    return appliedUnder;
  }

  Connection connection() {
    return guard.view();
  }

  /** Runs work of a nested call; if it throws, the whole transaction cannot commit any more. */
  <T extends @Nullable Object, X extends Exception> T join(TransactionWork<T, X> work) throws X {
    try {
      return work.run(connection());
    } catch (Throwable e) {
      if (joinedFailure == null) {
        joinedFailure = e;
      }
      throw e;
    }
  }

  /** Commits, or throws and says what the outcome is. */
  void commit() {
    guard.end(); // First, so that nothing another thread does can follow what is looked at here.
    if (joinedFailure != null) {
      throw new FencingException(
          "the transaction of resource \"%s\" is rolled back: a nested inTransaction call that joined it threw %s, and the outer work went on"
              .formatted(names(), joinedFailure),
          joinedFailure);
    }
    FencingException refusal = guard.refusal();
    if (refusal != null) {
      throw new FencingException(
          "the transaction of resource \"%s\" is rolled back: a check inside it was refused, and the work went on"
              .formatted(names()),
          refusal);
    }
    SQLException ending = guard.ending();
    if (ending != null) {
      throw new FencingException(
          "the transaction of resource \"%s\" is rolled back: the database gave it up with an error, and the work went on: %s (SQLState %s)"
              .formatted(names(), ending.getMessage(), ending.getSQLState()),
          ending);
    }
    try {
      refuseAborted();
    } catch (SQLException e) {
      throw new FencingException(
          "the transaction of resource \"%s\" is rolled back: the connection failed before COMMIT was sent: %s (SQLState %s)"
              .formatted(names(), e.getMessage(), e.getSQLState()),
          e);
    }
    try {
      transaction.commit();
    } catch (SQLException e) {
      if (dialect.commitMayHaveHappened(transaction.connection(), e)) {
        throw outcomeUnknown(handles, e);
      }
      throw new FencingException(
          "the database refused to commit the transaction of resource \"%s\" and rolled it back: %s (SQLState %s)"
              .formatted(names(), e.getMessage(), e.getSQLState()),
          e);
    } catch (RuntimeException | Error e) {
      throw outcomeUnknown(handles, e);
    }
  }

  /** Every handle is dead then; the first one's exception is thrown. */
  static UnknownOutcomeException outcomeUnknown(List<FencedResource> handles, Throwable cause) {
    UnknownOutcomeException first = handles.get(0).outcomeUnknown(cause);
    handles.stream().skip(1).forEach(handle -> handle.outcomeUnknown(cause));
    return first;
  }

  /** The server keeps nothing of a transaction that it gave up, and the driver does not tell. */
  private void refuseAborted() throws SQLException {
    if (guard.isSuspect() && dialect.isAborted(transaction.connection())) {
      SQLException failure = guard.firstFailure();
      throw new FencingException(
          "the transaction of resource \"%s\" is rolled back: a statement failed, which ended it on the server, and the work went on as if it had not: %s"
              .formatted(
                  names(),
                  failure == null
                      ? "a stream of a large object"
                      : failure.getMessage() + " (SQLState " + failure.getSQLState() + ")"),
          failure);
    }
  }

  /** Rolls back what was not committed. */
  @Override
  public void close() {
    guard.end();
    handles.forEach(OpenTransactions::remove);
    try {
      transaction.close();
    } catch (SQLException e) {
      // Only after a failure, onto which this is suppressed; the server rolls back by itself.
      throw new FencingException(
          "the transaction of resource \"%s\" could not be rolled back; its connection was cut"
              .formatted(names()),
          e);
    }
  }
}
