package dev.fencing.curator;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The end of a wait, by the clock that nobody can set.
 *
 * @param start by {@link System#nanoTime}
 * @param bound in nanoseconds; negative if there is none
 */
record Deadline(long start, long bound) {

  /** Nobody waits longer: 146 years, and sums of it do not overflow. */
  private static final long LONGEST = Long.MAX_VALUE / 2;

  static Deadline none() {
    return new Deadline(System.nanoTime(), -1);
  }

  /** Zero or less: now. */
  static Deadline in(long time, TimeUnit unit) {
    return new Deadline(System.nanoTime(), Math.min(LONGEST, Math.max(0, unit.toNanos(time))));
  }

  static Deadline in(Duration wait) {
    Objects.requireNonNull(wait, "wait");
    return in(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
  }

  boolean isBounded() {
    return bound >= 0;
  }

  boolean isOver() {
    return isBounded() && left() <= 0;
  }

  /** Nanoseconds from now, negative once it is over; meaningless if there is no bound. */
  long left() {
    return bound - (System.nanoTime() - start);
  }

  Deadline plus(Duration grace) {
    return new Deadline(start, bound + grace.toNanos());
  }
}
