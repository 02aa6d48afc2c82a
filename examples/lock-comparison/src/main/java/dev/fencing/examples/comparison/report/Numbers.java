package dev.fencing.examples.comparison.report;

import java.util.Locale;

/** Numbers as people read them; a dash where there is none. */
final class Numbers {

  static final String NONE = "–";

  private Numbers() {}

  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  static String percent(double value) {
    return Double.isNaN(value) ? NONE : String.format(Locale.ROOT, "%.2f %%", value);
  }

  /** About three digits, without a unit. */
  static String number(double value) {
    if (Double.isNaN(value)) {
      return NONE;
    }
    int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    return String.format(Locale.ROOT, "%,." + digits + "f", value);
  }

  static String millis(double value) {
    return number(value) + " ms";
  }

  /** In seconds from one on. */
  static String span(double millis) {
    return millis < 1_000 ? millis(millis) : number(millis / 1e3) + " s";
  }

  static String pair(double left, double right) {
    return Double.isNaN(left) && Double.isNaN(right) ? NONE : number(left) + " / " + number(right);
  }

  static String lease(long millis) {
    return span((double) millis);
  }

  /** "1 pause", "2 pauses". */
  static String some(long count, String noun) {
    return count(count) + " " + noun + (count == 1 ? "" : "s");
  }
}
