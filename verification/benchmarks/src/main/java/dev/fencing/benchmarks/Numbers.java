package dev.fencing.benchmarks;

import java.util.Locale;

/** Numbers as people read them. */
final class Numbers {

  private Numbers() {}

  /** Whole numbers as they are; others with as many places as tell something at their size. */
  static String text(double value) {
    double size = Math.abs(value);
    if (value == Math.rint(value) && size < 1e12) {
      return String.format(Locale.ROOT, "%,d", (long) value);
    }
    return String.format(Locale.ROOT, size >= 100 ? "%,.0f" : size >= 20 ? "%.1f" : "%.2f", value);
  }
}
