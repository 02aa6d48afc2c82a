package dev.fencing.harness.checker;

import java.util.List;

/**
 * How one check went.
 *
 * @param judged how many things it looked at; with none it says nothing
 * @param count how many violations there are
 * @param violations the first of them
 * @param noted how many things it counted that are no violations
 * @param note what else it saw, or why it looked at nothing; may be empty
 */
public record Finding(
    Check check, long judged, long count, List<Violation> violations, long noted, String note) {

  /** Tells whether something is wrong. */
  public boolean fails() {
    return count > 0;
  }

  /** Tells whether there was something to look at and nothing wrong with it. */
  public boolean holds() {
    return count == 0 && judged > 0;
  }

  /** Says it in one line. */
  public String summary() {
    String how = fails() ? "FAILS, %d times".formatted(count) : holds() ? "holds" : "not judged";
    return "%s %s: %s (%d looked at%s)"
        .formatted(check, check.promise(), how, judged, note.isEmpty() ? "" : "; " + note);
  }
}
