package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.Outcome;
import org.jspecify.annotations.Nullable;

/** A line of the report as CSV; what was not measured is empty. Times are milliseconds. */
record Row(
    String arm,
    String protection,
    long leaseMillis,
    int transactions,
    int landed,
    int lost,
    @Nullable Double lostPercent,
    int staleTried,
    int staleRefused,
    int overlaps,
    int pauses,
    int pausesLongerThanLease,
    int notLocked,
    int lostLock,
    int failed,
    int unknown,
    @Nullable Double uncontendedP50,
    @Nullable Double uncontendedP99,
    @Nullable Double delayedP50,
    @Nullable Double delayedP99,
    @Nullable Double contendedP50,
    @Nullable Double contendedP99,
    @Nullable Double waitP50,
    @Nullable Double waitP99,
    @Nullable Double writesPerSecond,
    @Nullable Double publishedLostPercent,
    @Nullable Double publishedP99,
    String promise) {

  static Row of(Figures arm) {
    Published published = arm.result().published();
    return new Row(
        arm.arm(),
        arm.result().protection().words(),
        arm.result().leaseMillis(),
        arm.transactions(),
        arm.landed(),
        arm.lost(),
        rounded(arm.lostPercent()),
        arm.staleTried(),
        arm.refused(),
        arm.overlaps(),
        arm.pauses(),
        arm.pausesLongerThanLease(),
        arm.count(Outcome.NOT_LOCKED),
        arm.count(Outcome.LOST_LOCK),
        arm.count(Outcome.FAILED),
        arm.count(Outcome.UNKNOWN),
        rounded(arm.uncontended().p50()),
        rounded(arm.uncontended().p99()),
        rounded(arm.delayed().p50()),
        rounded(arm.delayed().p99()),
        rounded(arm.contended().p50()),
        rounded(arm.contended().p99()),
        rounded(arm.waited().p50()),
        rounded(arm.waited().p99()),
        rounded(arm.throughput()),
        published == null ? null : (Double) published.lostPercent(),
        published == null ? null : (Double) published.p99Millis(),
        arm.result().promise());
  }

  private static @Nullable Double rounded(double value) {
    return Double.isNaN(value) ? null : (Double) (Math.round(value * 1_000) / 1_000.0);
  }
}
