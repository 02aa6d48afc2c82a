package dev.fencing.jdbc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The tries of one operation until its outcome is known, within a deadline. For one thread. */
final class Retries {

  /** Between tries, while the database is away or another holder has the lock. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final long deadlineNanos;
  private final long start = System.nanoTime();
  private @Nullable UnknownOutcomeException unknown; // The first, until the outcome is known.

  Retries(Duration deadline) {
    this.deadlineNanos = deadline.toNanos();
  }

  /** Tries under one hold, whose handle is renewed after every unknown outcome. */
  <T extends @Nullable Object, X extends Exception> OperationOutcome<T> untilKnown(
      FencedResource resource, String operationId, TransactionWork<T, X> work) throws X {
    FencedResource handle = resource;
    while (true) {
      try {
        return handle.inTransaction(operationId, work);
      } catch (UnknownOutcomeException e) {
        if (handle.isUsable()) {
          throw e; // Of something that the work has called.
        }
        remember(e);
      }
      handle = renew(handle);
    }
  }

  private FencedResource renew(FencedResource dead) {
    while (true) {
      try {
        return dead.renew();
      } catch (StaleTokenException | FenceMissingException e) {
        throw e;
      } catch (FencingException e) {
        pauseOrThrow(e); // The database is still away.
      }
    }
  }

  /** Another hold may have the resource now: the next try acquires the lock anew. */
  void afterRefusal(StaleTokenException refused) {
    pauseOrThrow(refused);
  }

  /** What to throw for a failure: as long as an outcome is unknown, nothing else is worth more. */
  FencingException outcomeOf(FencingException failure) {
    UnknownOutcomeException first = unknown;
    if (first == null || first == failure) {
      return failure;
    }
    first.addSuppressed(failure);
    return first;
  }

  private void remember(UnknownOutcomeException e) {
    UnknownOutcomeException first = unknown;
    if (first == null) {
      unknown = e;
    } else {
      first.addSuppressed(e);
    }
    if (isOver()) {
      throw outcomeOf(e);
    }
  }

  private void pauseOrThrow(FencingException failure) {
    if (isOver()) {
      throw outcomeOf(failure);
    }
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw outcomeOf(failure);
    }
  }

  private boolean isOver() {
    return System.nanoTime() - start >= deadlineNanos;
  }
}
