package dev.fencing.harness.worker;

import dev.fencing.harness.arm.Grant;
import dev.fencing.harness.arm.Lock;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Acquires a lock once when all is well again. */
final class Healing {

  private static final Duration BOUND = Duration.ofSeconds(30);

  private Healing() {}

  /** Says how long that took, in seconds; -1 for not at all. */
  static void heal(int number, Lock lock) {
    try {
      WorkerMain.say(
          String.format(Locale.ROOT, "healed %s %.3f", Order.lock(number), seconds(lock)));
    } catch (Exception e) {
      WorkerMain.say("healed %s -1 %s".formatted(Order.lock(number), e));
    }
  }

  private static double seconds(Lock lock) throws Exception {
    long start = System.nanoTime();
    while (System.nanoTime() - start < BOUND.toNanos()) {
      Grant grant;
      try {
        grant = lock.acquire(BOUND);
      } catch (Exception notYet) {
        TimeUnit.MILLISECONDS.sleep(50);
        continue;
      }
      if (grant != null) {
        double seconds = (System.nanoTime() - start) / 1e9;
        grant.release();
        return seconds;
      }
    }
    return -1;
  }
}
