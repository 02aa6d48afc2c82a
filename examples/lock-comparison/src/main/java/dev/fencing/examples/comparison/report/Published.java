package dev.fencing.examples.comparison.report;

/**
 * The figures that are passed around for three of the arms: 1,000 contended transactions, a lease
 * of 3 s, random pauses of 1 to 5 s.
 */
public enum Published {
  REDIS("a plain Redis lock", 14.8, 12),
  REDLOCK("Redlock on five nodes", 4.2, 38),
  FENCED("a fencing token with atomic database validation", 0, 15);

  private final String words;
  private final double lostPercent;
  private final double p99Millis;

  Published(String words, double lostPercent, double p99Millis) {
    this.words = words;
    this.lostPercent = lostPercent;
    this.p99Millis = p99Millis;
  }

  String words() {
    return words;
  }

  double lostPercent() {
    return lostPercent;
  }

  double p99Millis() {
    return p99Millis;
  }
}
