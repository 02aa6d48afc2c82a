package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Tries again after a random delay, as clients of Redis locks do, until the time is over. */
final class Polling {

  static final long SHORTEST_MILLIS = 5;
  static final long LONGEST_MILLIS = 25;

  /** One try. */
  interface Try {
    @Nullable Hold lock() throws Exception;
  }

  private Polling() {}

  static @Nullable Hold until(Duration wait, Try once) throws Exception {
    long start = System.nanoTime();
    while (true) {
      Hold hold = once.lock();
      if (hold != null || System.nanoTime() - start >= wait.toNanos()) {
        return hold;
      }
      TimeUnit.MILLISECONDS.sleep(delayMillis());
    }
  }

  static long delayMillis() {
    return ThreadLocalRandom.current().nextLong(SHORTEST_MILLIS, LONGEST_MILLIS);
  }
}
