package dev.fencing.spring;

import static java.lang.System.Logger.Level.WARNING;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Tells the listeners, and lets none of them change anything. */
final class HoldEvents {

  private static final System.Logger LOG = System.getLogger(FencedLocks.class.getName());

  private final List<FencedLockListener> listeners;

  HoldEvents(List<FencedLockListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void acquired(String resource, long token, long since) {
    tell(listener -> listener.acquired(resource, token, since(since)));
  }

  void unavailable(String resource, long since, Exception why) {
    tell(listener -> listener.unavailable(resource, since(since), why));
  }

  void released(String resource, long token, long since, boolean lost) {
    tell(listener -> listener.released(resource, token, since(since), lost));
  }

  private static Duration since(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  private void tell(Consumer<FencedLockListener> what) {
    for (FencedLockListener listener : listeners) {
      try {
        what.accept(listener);
      } catch (RuntimeException e) {
        LOG.log(WARNING, "a FencedLockListener failed, which changes nothing", e);
      }
    }
  }
}
