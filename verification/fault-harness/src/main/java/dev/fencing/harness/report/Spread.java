package dev.fencing.harness.report;

import java.util.List;
import java.util.Locale;

/**
 * Times in seconds.
 *
 * @param count how many; with none the others are 0
 */
record Spread(int count, double p50, double p99, double max) {

  static Spread of(List<Double> seconds) {
    if (seconds.isEmpty()) {
      return new Spread(0, 0, 0, 0);
    }
    List<Double> sorted = seconds.stream().sorted().toList();
    return new Spread(
        sorted.size(), rank(sorted, 0.5), rank(sorted, 0.99), sorted.get(sorted.size() - 1));
  }

  /** The smallest of which at least this share is not larger. */
  private static double rank(List<Double> sorted, double share) {
    return sorted.get(Math.max(0, (int) Math.ceil(share * sorted.size()) - 1));
  }

  /** Says median and 99th percentile. */
  String text() {
    return count == 0 ? "–" : String.format(Locale.ROOT, "%.2f / %.2f", p50, p99);
  }
}
