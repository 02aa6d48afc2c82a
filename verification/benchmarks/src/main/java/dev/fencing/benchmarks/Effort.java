package dev.fencing.benchmarks;

import java.time.Duration;

/**
 * How much a run does.
 *
 * @param warmUps how often each contestant is run before that, until it is compiled
 * @param rounds how often each contestant is measured
 * @param time how long, each time
 * @param deletes how many nodes are deleted one by one, each time
 * @param cycles how many acquisitions must leave nothing behind
 */
record Effort(int warmUps, int rounds, Duration time, int deletes, int cycles) {

  static final Effort FULL = new Effort(5, 9, Duration.ofMillis(600), 6_000, 10_000);
  static final Effort QUICK = new Effort(2, 3, Duration.ofMillis(250), 2_000, 1_000);
}
