package dev.fencing.examples.comparison.report;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Times in milliseconds. Each is one that was measured: the smallest that as many per cent of all
 * do not exceed. Without any they are NaN.
 */
record Quantiles(int count, double p1, double p25, double p50, double p75, double p99, double max) {

  static Quantiles ofNanos(LongStream times) {
    long[] sorted = times.sorted().toArray();
    double[] millis = Arrays.stream(sorted).mapToDouble(time -> time / 1e6).toArray();
    return new Quantiles(
        millis.length,
        at(millis, 1),
        at(millis, 25),
        at(millis, 50),
        at(millis, 75),
        at(millis, 99),
        at(millis, 100));
  }

  private static double at(double[] sorted, int percent) {
    if (sorted.length == 0) {
      return Double.NaN;
    }
    long rank = (sorted.length * (long) percent + 99) / 100;
    return sorted[(int) Math.max(1, rank) - 1];
  }
}
