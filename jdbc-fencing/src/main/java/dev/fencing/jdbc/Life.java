package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/** Whether a handle is alive. Thread-safe; its guarded section does not block. */
final class Life {

  private volatile @Nullable Death death;

  @Nullable Death death() {
    return death;
  }

  /** Ends it for good: a COMMIT whose failure is heard late makes no renewed handle renewable. */
  synchronized void ends(Death cause) {
    Death before = death;
    if (before == null || before.renewable()) {
      death = cause;
    }
  }

  void require() {
    Death dead = death;
    if (dead != null) {
      throw dead.exception();
    }
  }
}
