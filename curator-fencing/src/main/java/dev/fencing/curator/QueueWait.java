package dev.fencing.curator;

import java.time.Duration;
import java.util.Objects;

/** How long to wait in the queue, in the unit that Curator takes. */
final class QueueWait {

  /** Nobody waits longer, and it overflows in no unit that the wait is converted to. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private QueueWait() {}

  /** Returns whole milliseconds, rounded up; 0 for zero or less; at most 292 years. */
  static long millis(Duration wait) {
    Objects.requireNonNull(wait, "wait");
    if (wait.isNegative()) {
      return 0;
    }
    Duration bounded = wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    long millis = bounded.toMillis();
    return bounded.toNanosPart() % 1_000_000 == 0 ? millis : millis + 1;
  }
}
