package dev.fencing.curator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Whether a hold is live, closed or lost; it ends once, one way or the other. Thread-safe. */
final class LeaseState {

  private enum Phase {
    LIVE,
    CLOSED,
    LOST
  }

  private final Executor executor;
  private volatile Phase phase = Phase.LIVE;
  private @Nullable List<Runnable> listeners; // Guarded by this.

  LeaseState(Executor executor) {
    this.executor = executor;
  }

  boolean isLive() {
    return phase == Phase.LIVE;
  }

  boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  boolean isLost() {
    return phase == Phase.LOST;
  }

  /** Returns whether this call closed it. */
  boolean close() {
    synchronized (this) {
      if (phase != Phase.LIVE) {
        return false;
      }
      phase = Phase.CLOSED;
      listeners = null;
      return true;
    }
  }

  /** Returns whether this call made it lost. */
  boolean lose() {
    List<Runnable> toTell;
    synchronized (this) {
      if (phase != Phase.LIVE) {
        return false;
      }
      phase = Phase.LOST;
      toTell = listeners;
      listeners = null;
    }
    if (toTell != null) {
      toTell.forEach(executor::execute);
    }
    return true;
  }

  /** Runs the listener once if it gets lost or is lost already, and never if it was closed. */
  void onLost(Runnable listener) {
    synchronized (this) {
      if (phase == Phase.CLOSED) {
        return;
      }
      if (phase == Phase.LIVE) {
        if (listeners == null) {
          listeners = new ArrayList<>(1);
        }
        listeners.add(listener);
        return;
      }
    }
    executor.execute(listener);
  }
}
