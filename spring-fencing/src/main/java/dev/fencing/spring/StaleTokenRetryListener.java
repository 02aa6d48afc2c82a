package dev.fencing.spring;

import dev.fencing.jdbc.RefusedBatchException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import org.springframework.retry.RetryCallback;
import org.springframework.retry.RetryContext;
import org.springframework.retry.RetryListener;

/**
 * Ends Spring Retry's tries at a stale token, which is refused for ever, and at an unknown outcome,
 * which may have happened already. As a bean it is asked about every {@code @Retryable} method that
 * names no listeners of its own.
 */
final class StaleTokenRetryListener implements RetryListener {

  @Override
  public <T, E extends Throwable> void onError(
      RetryContext context, RetryCallback<T, E> callback, Throwable thrown) {
    if (Unwrapped.within(thrown, StaleTokenException.class) != null
        || Unwrapped.within(thrown, UnknownOutcomeException.class) != null
        || Unwrapped.within(thrown, RefusedBatchException.class) != null) {
      context.setExhaustedOnly();
    }
  }
}
