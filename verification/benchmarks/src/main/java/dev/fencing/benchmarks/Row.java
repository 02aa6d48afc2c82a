package dev.fencing.benchmarks;

import org.jspecify.annotations.Nullable;

/** One line of the table. */
record Row(String benchmark, String what, String unit, Spread spread, @Nullable Goal goal) {

  boolean isMet() {
    return goal == null || goal.metBy(spread.median());
  }

  String verdict() {
    if (goal == null) {
      return "";
    }
    return isMet() ? "met" : goal.binding() ? "MISSED" : "below the aim";
  }
}
