package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import org.jspecify.annotations.Nullable;

/** When a pause ends: after a time, or at the worst moment for the next holder. */
public enum Until {
  TIME(null),
  /** The next holder is about to raise. */
  NEXT_ACQUIRED(Mark.AFTER_ACQUIRE),
  /** The next holder has raised and not read yet. */
  NEXT_RAISED(Mark.AFTER_RAISE),
  /** The next holder has read and not written yet. */
  NEXT_READ(Mark.AFTER_READ);

  private final @Nullable Mark mark;

  Until(@Nullable Mark mark) {
    this.mark = mark;
  }

  /** The mark of the next holder that is waited for; null for a time. */
  @Nullable Mark mark() {
    return mark;
  }
}
