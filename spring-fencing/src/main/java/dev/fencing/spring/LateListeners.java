package dev.fencing.spring;

import dev.fencing.jdbc.FenceBusyException;
import dev.fencing.jdbc.FenceListener;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.UnknownOutcomeException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** The listeners that are beans, looked up at the first event: a DataSource is made before them. */
final class LateListeners implements FenceListener {

  private final SingletonSupplier<List<FenceListener>> listeners;

  LateListeners(ObjectProvider<FenceListener> listeners) {
    this.listeners = SingletonSupplier.of(() -> listeners.orderedStream().toList());
  }

  private void tell(Consumer<FenceListener> what) {
    listeners.obtain().forEach(what);
  }

  @Override
  public void raised(String resource, long token, Duration waited) {
    tell(listener -> listener.raised(resource, token, waited));
  }

  @Override
  public void accepted(String resource, long token) {
    tell(listener -> listener.accepted(resource, token));
  }

  @Override
  public void refused(String resource, FencingException why, boolean observedOnly) {
    tell(listener -> listener.refused(resource, why, observedOnly));
  }

  @Override
  public void busy(String resource, FenceBusyException why, boolean observedOnly) {
    tell(listener -> listener.busy(resource, why, observedOnly));
  }

  @Override
  public void unknown(String resource, UnknownOutcomeException why) {
    tell(listener -> listener.unknown(resource, why));
  }
}
