package dev.fencing.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Tells the listeners, and lets none of them change what happens. */
final class FenceEvents {

  private static final System.Logger LOG = System.getLogger(FenceEvents.class.getName());

  private final List<FenceListener> listeners;

  FenceEvents(List<FenceListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void raised(String resource, long token, long startNanos) {
    Duration waited = Duration.ofNanos(System.nanoTime() - startNanos);
    tell(listener -> listener.raised(resource, token, waited));
  }

  void accepted(String resource, long token) {
    tell(listener -> listener.accepted(resource, token));
  }

  void refused(String resource, FencingException why, boolean observedOnly) {
    tell(listener -> listener.refused(resource, why, observedOnly));
  }

  void busy(String resource, FenceBusyException why, boolean observedOnly) {
    tell(listener -> listener.busy(resource, why, observedOnly));
  }

  UnknownOutcomeException unknown(String resource, UnknownOutcomeException why) {
    tell(listener -> listener.unknown(resource, why));
    return why;
  }

  private void tell(Consumer<FenceListener> event) {
    for (FenceListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable e) { // Not even an Error may hide what has become of a transaction.
        LOG.log(System.Logger.Level.WARNING, "a listener of the fences failed: " + listener, e);
      }
    }
  }
}
