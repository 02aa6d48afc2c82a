package dev.fencing.curator;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The life of a lease in this JVM: live, then either closed or lost, once and for good.
 *
 * <p>Thread-safe and lock-free. The listeners are part of the state that is swapped, so none of
 * them can fall between a loss and its registration.
 */
final class LeaseState {

  private static final System.Logger LOG = System.getLogger(LeaseState.class.getName());

  private sealed interface State permits Live, End {}

  /** With the listener that came last, if there is one. */
  private record Live(@Nullable Listener last) implements State {}

  private record Listener(Runnable listener, @Nullable Listener before) {}

  private enum End implements State {
    CLOSED,
    LOST
  }

  private final AtomicReference<State> state = new AtomicReference<>(new Live(null));
  private final Executor executor;

  /**
   * @param executor where the listeners run
   */
  LeaseState(Executor executor) {
    this.executor = executor;
  }

  /** Closes the lease if it is live; its listeners are told nothing then. True if this did it. */
  boolean close() {
    return end(End.CLOSED) != null;
  }

  /** Ends the lease as lost if it is live, and has its listeners told, in any order. */
  boolean lose() {
    Live ended = end(End.LOST);
    if (ended == null) {
      return false;
    }
    for (Listener next = ended.last(); next != null; next = next.before()) {
      tell(next.listener());
    }
    return true;
  }

  /** Has the listener told once if the lease is lost, at once if it is already. */
  void onLost(Runnable listener) {
    State current;
    do {
      current = state.get();
    } while (current instanceof Live live
        && !state.compareAndSet(live, new Live(new Listener(listener, live.last()))));
    if (current == End.LOST) {
      tell(listener);
    }
  }

  boolean isLive() {
    return state.get() instanceof Live;
  }

  boolean isClosed() {
    return state.get() == End.CLOSED;
  }

  boolean isLost() {
    return state.get() == End.LOST;
  }

  /** Returns the life that this call has ended, null if it had ended before. */
  private @Nullable Live end(End end) {
    while (state.get() instanceof Live live) {
      if (state.compareAndSet(live, end)) {
        return live;
      }
    }
    return null;
  }

  private void tell(Runnable listener) {
    try {
      executor.execute(listener);
    } catch (Throwable e) {
      // The others are told all the same, and what noticed the loss goes on.
      LOG.log(
          System.Logger.Level.ERROR,
          "A listener is not told that its lease is lost: there is no thread for it",
          e);
    }
  }
}
