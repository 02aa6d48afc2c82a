package dev.fencing.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures steps that wait for a disk: call by call in turn, and of each round the median, so that
 * a slow flush hits one call of one contestant and not a whole measurement.
 */
final class Turns {

  private final List<Rate.Step> steps;
  private final List<double[]> measured = new ArrayList<>();

  Turns(List<Rate.Step> steps) {
    this.steps = steps;
  }

  /**
   * Runs rounds that are thrown away, then rounds that count.
   *
   * @param time for each step in each round
   */
  void run(int warmUps, int rounds, Duration time) throws Exception {
    for (int step = 0; step < steps.size(); step++) {
      measured.add(new double[rounds]);
    }
    for (int round = -warmUps; round < rounds; round++) {
      List<List<Long>> nanos = round(time.multipliedBy(steps.size()));
      for (int step = 0; step < steps.size() && round >= 0; step++) {
        measured.get(step)[round] = median(nanos.get(step));
      }
    }
  }

  /** Milliseconds of a call, for each round. */
  double[] of(int step) {
    return measured.get(step);
  }

  private List<List<Long>> round(Duration time) throws Exception {
    List<List<Long>> nanos = new ArrayList<>();
    steps.forEach(step -> nanos.add(new ArrayList<>()));
    System.gc(); // Nobody clears up after somebody else.
    long start = System.nanoTime();
    for (int turn = 0; System.nanoTime() - start < time.toNanos(); turn++) {
      for (int i = 0; i < steps.size(); i++) {
        int step = (turn + i) % steps.size();
        long before = System.nanoTime();
        steps.get(step).run();
        nanos.get(step).add(System.nanoTime() - before);
      }
    }
    return nanos;
  }

  private static double median(List<Long> nanos) {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return (double) sorted[sorted.length / 2] / TimeUnit.MILLISECONDS.toNanos(1);
  }
}
