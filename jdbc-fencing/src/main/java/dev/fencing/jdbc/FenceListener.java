package dev.fencing.jdbc;

import java.time.Duration;

/**
 * Hears what the fences decide, for metrics and alarms; every method does nothing by default.
 *
 * <p>Called on the thread that does the work, after the decision and before its exception is
 * thrown, so it must be quick and thread-safe. What it throws is logged and changes nothing.
 */
public interface FenceListener {

  /**
   * A fence was raised to a new holder's token, or renewed.
   *
   * @param waited how long it took in all, connection and locks included
   */
  default void raised(String resource, long token, Duration waited) {}

  /** A transaction passed the check; whether it commits is not known yet. */
  default void accepted(String resource, long token) {}

  /**
   * A raise or a check was refused: a {@link StaleTokenException}, a {@link FenceMissingException}
   * or, for tokens of another origin, a plain {@link FencingException}.
   *
   * @param observedOnly whether the resource is {@linkplain JdbcFenceBuilder#observeOnly observed
   *     only}, so that the exception is not thrown and the work goes on
   */
  default void refused(String resource, FencingException why, boolean observedOnly) {}

  /**
   * A raise or a check did not get past other transactions in time.
   *
   * @param observedOnly as in {@link #refused}
   */
  default void busy(String resource, FenceBusyException why, boolean observedOnly) {}

  /** A COMMIT got no answer, and the handle is dead. */
  default void unknown(String resource, UnknownOutcomeException why) {}
}
