package dev.fencing.benchmarks;

import java.util.Arrays;

/** The lowest, the middle and the highest of what several rounds gave. */
record Spread(double min, double median, double max) {

  static Spread of(double... rounds) {
    if (rounds.length == 0) {
      throw new IllegalArgumentException("no round was measured");
    }
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(sorted[0], median, sorted[sorted.length - 1]);
  }

  /**
   * The spread of the ratios of each round, not the ratio of two medians: what a machine does to
   * one round it does to both.
   */
  static Spread ofRatios(double[] numerators, double[] denominators) {
    if (numerators.length != denominators.length) {
      throw new IllegalArgumentException(
          "%d rounds over %d".formatted(numerators.length, denominators.length));
    }
    double[] ratios = new double[numerators.length];
    Arrays.setAll(ratios, i -> numerators[i] / denominators[i]);
    return of(ratios);
  }
}
