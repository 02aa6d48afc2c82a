package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The transaction that a fenced connection has on the server: whether it has begun, and which
 * fences it has checked. For one thread at a time.
 */
final class FollowedTransaction {

  private enum State {
    /** None is open: the next statement begins one. */
    NONE,
    /** It has begun while no hold was bound. */
    UNFENCED,
    /** The server lets it write nothing. */
    READ_ONLY,
    /** The fences of {@link #handles} are locked until it ends. */
    CHECKED,
    /** It can only be rolled back. */
    REFUSED
  }

  private final JdbcFence fence;
  private final Connection raw;
  private final boolean refuseUnbound;
  private final AtomicBoolean readOnlyIsKept;

  private State state = State.NONE;
  private List<FencedResource> handles = List.of();
  private @Nullable FencingException refusal;
  private boolean suspect;
  private boolean foreign;
  private boolean autoCommit; // As the application sees it.
  private @Nullable Boolean readOnly; // Null until it is said or asked.
  private boolean wrapped; // A statement in autocommit mode, in a transaction of ours.
  private @Nullable Object resultOf; // The statement whose result keeps that open.

  /**
   * @param readOnlyIsKept whether the server is known to keep read-only transactions so
   */
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
    this.readOnlyIsKept = readOnlyIsKept;
  }

  boolean autoCommit() {
    return autoCommit;
  }

  boolean isWrapped() {
    return wrapped;
  }

  boolean isFenced() {
    return state == State.CHECKED || !BoundHolds.of(fence).isEmpty();
  }

  void readOnly(boolean value) {
    readOnly = value;
  }

  /** A text has begun or ended a transaction past this connection, which now cannot follow. */
  void foreign() {
    foreign = true;
  }

  /** Checks the fences before the first statement of a transaction. */
  void beforeStatement() throws SQLException {
    if (wrapped) {
      finish();
    }
    List<FencedResource> bound = BoundHolds.of(fence);
    switch (state) {
      case REFUSED -> throw Objects.requireNonNull(refusal);
      case NONE -> begin(bound);
      case CHECKED -> {
        for (FencedResource handle : bound) {
          if (!handles.contains(handle)) {
            throw tooLate(handle, "has checked other fences before this hold was bound");
          }
        }
      }
      case UNFENCED -> {
        if (!bound.isEmpty()) {
          throw tooLate(bound.get(0), "has begun before this hold was bound, unfenced");
        }
      }
      case READ_ONLY -> {}
    }
  }

  private static FencingException tooLate(FencedResource handle, String why) {
    return new FencingException(
        "a statement under %s was refused: the transaction on this connection %s, and may have read before the raise. Bind the hold first, then begin the transaction. The statement was not run"
            .formatted(handle, why),
        null);
  }

  private void begin(List<FencedResource> bound) throws SQLException {
    if (bound.isEmpty() && !refuseUnbound) {
      state = autoCommit ? State.NONE : State.UNFENCED;
      return;
    }
    if (foreign && !bound.isEmpty()) {
      throw tooLate(bound.get(0), "was begun or ended by an SQL text, which cannot be followed,");
    }
    if (isReadOnly()) {
      state = State.READ_ONLY;
      return;
    }
    if (bound.isEmpty()) {
      throw new FencingException(
          "a statement was refused because this thread works under no hold, and its DataSource lets nobody write without one: run it in FencedResource.call, or in a read-only transaction. It was not run",
          null);
    }
    if (autoCommit) {
      raw.setAutoCommit(false);
      wrapped = true;
    }
    handles = bound;
    try {
      fence.check().begin(raw, bound);
      state = State.CHECKED;
    } catch (FencingException e) {
      refuse(e);
      if (wrapped) {
        rollBackWrapped(e);
      }
      throw e;
    }
  }

  /** In autocommit mode nothing is kept read-only. */
  private boolean isReadOnly() throws SQLException {
    Boolean known = readOnly;
    if (known == null) {
      known = raw.isReadOnly();
      readOnly = known;
    }
    if (autoCommit || !known) {
      return false;
    }
    if (!readOnlyIsKept.get() && fence.check().isReadOnly(raw)) {
      readOnlyIsKept.set(true);
    }
    return readOnlyIsKept.get();
  }

  private void refuse(FencingException why) {
    refusal = why;
    state = State.REFUSED;
  }

  /** A failure of the driver, which the application may swallow. */
  void failed(SQLException failure) {
    suspect = true;
    if (state == State.CHECKED && fence.check().endsTransaction(raw, failure)) {
      refuse(
          new FencingException(
              "the transaction on %s cannot go on: the database rolled it back with \"%s\" (SQLState %s), and what follows would run unchecked. Roll back, and begin anew"
                  .formatted(handles, failure.getMessage(), failure.getSQLState()),
              failure));
    }
  }

  /** A statement in autocommit mode has failed: its transaction ends with it. */
  void statementFailed(Throwable failure) {
    if (wrapped) {
      rollBackWrapped(failure);
    }
  }

  private void rollBackWrapped(Throwable failure) {
    wrapped = false;
    resultOf = null;
    state = State.NONE;
    try {
      raw.rollback();
      raw.setAutoCommit(true);
    } catch (SQLException e) {
      LocalTransaction.abort(raw, failure);
    }
  }

  /**
   * Commits a statement in autocommit mode, unless it still has a result to be read.
   *
   * @param withResult that statement, null if it has none
   */
  void afterStatement(@Nullable Object withResult) throws SQLException {
    if (wrapped) {
      resultOf = withResult;
      if (withResult == null) {
        finish();
      }
    }
  }

  /** The result of a statement is closed, and with it the statement is complete. */
  void resultClosed(@Nullable Object statement) throws SQLException {
    if (wrapped && statement != null && statement == resultOf) {
      finish();
    }
  }

  private void finish() throws SQLException {
    try {
      commitChecked();
    } catch (SQLException | RuntimeException e) {
      rollBackWrapped(e);
      throw e;
    }
    wrapped = false;
    resultOf = null;
    raw.setAutoCommit(true);
  }

  void commit() throws SQLException {
    switch (state) {
      case REFUSED -> {
        FencingException why = Objects.requireNonNull(refusal);
        rollback();
        throw new FencingException(
            "the transaction was rolled back in place of the commit, because it was refused before: "
                + why.getMessage(),
            why);
      }
      case CHECKED -> commitChecked();
      default -> {
        raw.commit(); // In autocommit mode the driver says what is wrong with that.
        state = State.NONE;
      }
    }
  }

  private void commitChecked() throws SQLException {
    if (suspect && fence.check().isAborted(raw)) {
      rollback();
      throw new FencingException(
          "the transaction on %s was rolled back: a statement had failed, which ended it on the server, and the work went on as if it had not"
              .formatted(handles),
          null);
    }
    try {
      raw.commit();
    } catch (SQLException e) {
      if (fence.check().commitMayHaveHappened(raw, e)) {
        throw outcomeUnknown(e);
      }
      throw e;
    } catch (RuntimeException e) {
      throw outcomeUnknown(e);
    }
    ended();
  }

  private UnknownOutcomeException outcomeUnknown(Exception cause) {
    List<FencedResource> dead = handles;
    ended();
    UnknownOutcomeException first = dead.get(0).outcomeUnknown(cause);
    dead.stream().skip(1).forEach(handle -> handle.outcomeUnknown(cause));
    return first;
  }

  void rollback() throws SQLException {
    raw.rollback();
    ended();
  }

  private void ended() {
    state = State.NONE;
    suspect = false;
    refusal = null;
    handles = List.of();
  }

  void setAutoCommit(boolean value) throws SQLException {
    if (value == autoCommit) {
      return;
    }
    if (wrapped) {
      finish();
    } else if (value && state != State.NONE) {
      commit();
    }
    raw.setAutoCommit(value);
    autoCommit = value;
  }

  /** Ends what is open before the connection goes back to its pool. */
  void close() throws SQLException {
    if (wrapped) {
      finish();
    } else if (state != State.NONE) {
      rollback();
    }
  }

  /** Whether a transaction is open that has passed a check. */
  boolean holdsFence() {
    return state == State.CHECKED;
  }

  @Override
  public String toString() {
    return handles.toString();
  }
}
