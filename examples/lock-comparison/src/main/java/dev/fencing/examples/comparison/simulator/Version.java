package dev.fencing.examples.comparison.simulator;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A balance that knows what it was computed from.
 *
 * @param base null for the first
 * @param added the number of the transaction, which is what it added; 0 for the first
 */
record Version(@Nullable Version base, int added, long balance) {

  static Version first() {
    return new Version(null, 0, 0);
  }

  Version plus(int number) {
    return new Version(this, number, balance + number);
  }

  /** Returns the transactions that are in it. */
  Set<Integer> contained() {
    Set<Integer> contained = new HashSet<>();
    for (Version version = this; version != null; version = version.base) {
      contained.add(version.added);
    }
    return contained;
  }
}
