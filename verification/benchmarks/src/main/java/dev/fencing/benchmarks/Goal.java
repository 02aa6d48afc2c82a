package dev.fencing.benchmarks;

import java.util.Locale;

/**
 * What a median should be.
 *
 * @param binding whether a miss counts; if not, the bound is one to aim at
 */
record Goal(Direction direction, double bound, boolean binding) {

  enum Direction {
    AT_LEAST("at least"),
    AT_MOST("at most"),
    EXACTLY("exactly");

    private final String words;

    Direction(String words) {
      this.words = words;
    }
  }

  static Goal atLeast(double bound) {
    return new Goal(Direction.AT_LEAST, bound, true);
  }

  static Goal atMost(double bound) {
    return new Goal(Direction.AT_MOST, bound, true);
  }

  static Goal exactly(double bound) {
    return new Goal(Direction.EXACTLY, bound, true);
  }

  static Goal aimAt(double bound) {
    return new Goal(Direction.AT_LEAST, bound, false);
  }

  boolean metBy(double value) {
    return switch (direction) {
      case AT_LEAST -> value >= bound;
      case AT_MOST -> value <= bound;
      case EXACTLY -> value == bound;
    };
  }

  /** Says by how much a value misses, for a value that does. */
  String missOf(double value) {
    double distance = Math.abs(value - bound);
    String relative =
        bound == 0 ? "" : String.format(Locale.ROOT, " (%.0f %%)", 100 * distance / bound);
    return "%s instead of %s, misses by %s%s"
        .formatted(Numbers.text(value), this, Numbers.text(distance), relative);
  }

  @Override
  public String toString() {
    return direction.words + " " + Numbers.text(bound) + (binding ? "" : " (aim)");
  }
}
