package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The transaction that a fenced connection has on the server. For one thread at a time. */
final class FollowedTransaction {

  private final JdbcFence fence;
  private final Connection raw;
  private final boolean refuseUnbound;
  private final ReadOnlyTransactions readOnly;

  private TransactionState state = TransactionState.NONE;
  private List<FencedResource> handles = List.of();
  private @Nullable FencingException refusal;
  private boolean suspect;
  private boolean foreign;
  private boolean mayBeInOuter; // It came with autocommit off and nothing has been run on it yet.
  private boolean autoCommit; // As the application sees it.
  private boolean wrapped; // A statement in autocommit mode, in a transaction of ours.
  private @Nullable Object resultOf; // The statement whose result keeps that open.

  FollowedTransaction(
      JdbcFence fence,
      Connection raw,
      boolean refuseUnbound,
      boolean autoCommit,
      AtomicBoolean readOnlyIsKept) {
    this.fence = fence;
    this.raw = raw;
    this.refuseUnbound = refuseUnbound;
    this.autoCommit = autoCommit;
    this.mayBeInOuter = !autoCommit;
    this.readOnly = new ReadOnlyTransactions(fence, raw, readOnlyIsKept);
  }

  boolean autoCommit() {
    return autoCommit;
  }

  boolean isWrapped() {
    return wrapped;
  }

  /** Whether a text must not end or begin a transaction here, or change what it may do. */
  boolean isFenced() {
    return refuseUnbound
        || state == TransactionState.CHECKED
        || isReadOnly()
        || !BoundHolds.of(fence).isEmpty();
  }

  boolean isReadOnly() {
    return state == TransactionState.READ_ONLY;
  }

  ReadOnlyTransactions readOnly() {
    return readOnly;
  }

  /** A text has begun or ended a transaction past this connection, which now cannot follow. */
  void foreign() {
    foreign = true;
  }

  /** Checks the fences before the first statement of a transaction. */
  void beforeStatement() throws SQLException {
    finishWrapped();
    List<FencedResource> bound = BoundHolds.of(fence);
    switch (state) {
      case REFUSED -> throw Objects.requireNonNull(refusal);
      case NONE -> begin(bound);
      case CHECKED -> Refusals.requireAmong(handles, bound);
      case UNFENCED -> Refusals.requireUnfenced(bound, refuseUnbound);
      case READ_ONLY, LOST -> {}
    }
  }

  /** For a question about the schema: a statement, but none to refuse for want of a hold. */
  void beforeQuestion() throws SQLException {
    if (autoCommit) {
      return;
    }
    if (refuseUnbound && state == TransactionState.NONE && readOnly.isNext()) {
      state = TransactionState.READ_ONLY;
      return;
    }
    boolean free = state == TransactionState.NONE || state == TransactionState.UNFENCED;
    if (free && BoundHolds.of(fence).isEmpty()) {
      state = TransactionState.UNFENCED;
    } else {
      beforeStatement();
    }
  }

  private void begin(List<FencedResource> bound) throws SQLException {
    if (bound.isEmpty() && !refuseUnbound) {
      state = autoCommit ? TransactionState.NONE : TransactionState.UNFENCED;
      return;
    }
    if (foreign && !bound.isEmpty()) {
      throw Refusals.begunByText(bound.get(0));
    }
    if (mayBeInOuter && !autoCommit) {
      OuterTransaction.refuseOrEnd(raw);
      mayBeInOuter = false;
    }
    // In autocommit mode nothing is kept read-only.
    if (!autoCommit && readOnly.isNext()) {
      state = TransactionState.READ_ONLY;
      return;
    }
    if (bound.isEmpty()) {
      throw Refusals.noHold();
    }
    if (autoCommit) {
      raw.setAutoCommit(false);
      wrapped = true;
    }
    handles = bound;
    try {
      fence.check().begin(raw, bound);
      state = TransactionState.CHECKED;
    } catch (FencingException e) {
      if (readOnly.explains(e)) {
        handles = List.of();
        state = TransactionState.READ_ONLY;
        return;
      }
      refusal = e;
      state = TransactionState.REFUSED;
      statementFailed(e);
      throw e;
    }
  }

  /** The transaction may fail where no exception of the driver tells. */
  void suspect() {
    suspect = true;
  }

  /** A failure of the driver, which the application may swallow. */
  void failed(SQLException failure) {
    suspect();
    if (state == TransactionState.CHECKED && fence.check().endsTransaction(raw, failure)) {
      refusal = Refusals.endedByServer(handles, failure);
      state = TransactionState.REFUSED;
    }
  }

  /** A statement in autocommit mode has failed: its transaction ends with it. */
  void statementFailed(Throwable failure) {
    boolean open = wrapped && state != TransactionState.LOST;
    wrapped = false;
    resultOf = null;
    if (!open) {
      return;
    }
    ended();
    try {
      raw.rollback();
      raw.setAutoCommit(true);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      LocalTransaction.abort(raw, failure);
    }
  }

  /**
   * Commits a statement in autocommit mode, unless it still has a result to be read.
   *
   * @param withResult that statement, null if it has none
   */
  void afterStatement(@Nullable Object withResult) throws SQLException {
    resultOf = withResult;
    if (withResult == null) {
      finishWrapped();
    }
  }

  /** The result of a statement is closed, and with it the statement is complete. */
  void resultClosed(@Nullable Object statement) throws SQLException {
    if (statement != null && statement == resultOf) {
      finishWrapped();
    }
  }

  /** Commits the statement in autocommit mode that is still open, if there is one. */
  void finishWrapped() throws SQLException {
    if (wrapped) {
      try {
        commitChecked();
      } catch (SQLException | RuntimeException e) {
        statementFailed(e);
        throw e;
      }
      wrapped = false;
      resultOf = null;
      raw.setAutoCommit(true);
    }
  }

  void commit() throws SQLException {
    finishWrapped();
    switch (state) {
      case REFUSED -> {
        FencingException why = Refusals.inPlaceOfCommit(Objects.requireNonNull(refusal));
        rollback();
        throw why;
      }
      case CHECKED -> commitChecked();
      default -> {
        raw.commit(); // In autocommit mode the driver says what is wrong with that.
        ended();
      }
    }
  }

  private void commitChecked() throws SQLException {
    try {
      CheckedCommit.run(fence, raw, handles, suspect);
      ended();
    } catch (SQLException e) {
      // The server has ended the transaction, and the lock of its fences with it.
      refusal = Refusals.endedByServer(handles, e);
      state = TransactionState.REFUSED;
      throw e;
    } catch (FencingException e) {
      ended();
      state = e instanceof UnknownOutcomeException ? TransactionState.LOST : TransactionState.NONE;
      throw e;
    }
  }

  void rollback() throws SQLException {
    finishWrapped();
    if (state != TransactionState.LOST) {
      raw.rollback();
      ended();
    }
  }

  private void ended() {
    state = TransactionState.NONE;
    suspect = false;
    refusal = null;
    handles = List.of();
  }

  void setAutoCommit(boolean value) throws SQLException {
    if (value == autoCommit || state == TransactionState.LOST) {
      return;
    }
    finishWrapped();
    try {
      if (value && state != TransactionState.NONE) {
        commit();
      }
    } finally {
      if (state == TransactionState.NONE) {
        raw.setAutoCommit(value);
        autoCommit = value;
      }
    }
  }

  /** Ends what is open before the connection goes back to its pool. */
  void close() throws SQLException {
    finishWrapped();
    if (state != TransactionState.NONE) {
      rollback();
    }
  }

  /** Rolls back whatever is open. */
  void abandon(Throwable why) throws SQLException {
    statementFailed(why);
    close();
  }

  /** Whether a transaction is open that has passed the check of this resource. */
  boolean holdsFence(String resource) {
    return holdsFence() && handles.stream().anyMatch(h -> h.resource().equals(resource));
  }

  /** Whether a transaction is open that has passed a check. */
  boolean holdsFence() {
    return state == TransactionState.CHECKED;
  }

  @Override
  public String toString() {
    return handles.toString();
  }
}
