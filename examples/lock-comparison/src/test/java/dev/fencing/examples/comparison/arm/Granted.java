package dev.fencing.examples.comparison.arm;

import org.jspecify.annotations.Nullable;

/** A hold that must be there. */
final class Granted {

  private Granted() {}

  static <T extends Hold> T of(@Nullable T hold) {
    if (hold == null) {
      throw new AssertionError("the lock was not granted");
    }
    return hold;
  }
}
