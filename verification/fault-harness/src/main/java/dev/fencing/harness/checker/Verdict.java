package dev.fencing.harness.checker;

import dev.fencing.harness.history.RunEnd;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be thought of a run.
 *
 * @param findings one for every check that the arm claims to pass
 * @param counted the others; they condemn nothing
 * @param doubts why the run could not have shown damage; empty if it could
 * @param thresholds what was asked of it
 * @param end null if it did not get to its end
 */
public record Verdict(
    Outcome outcome,
    List<Finding> findings,
    List<Finding> counted,
    List<String> doubts,
    Thresholds thresholds,
    @Nullable RunEnd end) {

  /** The three answers. */
  public enum Outcome {
    /** Enough happened, and nothing is wrong. */
    VALID,
    /** Something is wrong. */
    INVALID,
    /** Nothing was seen, and nothing could have been. Counts as a failure. */
    UNKNOWN
  }

  /** Returns the checks that found something. */
  public List<Finding> failed() {
    return findings.stream().filter(Finding::fails).toList();
  }

  /** Returns how one check went, also one that the arm does not claim to pass. */
  public Finding finding(Check check) {
    for (List<Finding> some : List.of(findings, counted)) {
      for (Finding finding : some) {
        if (finding.check() == check) {
          return finding;
        }
      }
    }
    throw new IllegalStateException("no finding of " + check);
  }

  /**
   * Tells whether this is a mutant that was caught by a check that should catch it, or by any if
   * none is named.
   */
  public boolean caught() {
    return end != null
        && !end.isProduct()
        && failed().stream()
            .anyMatch(
                finding ->
                    end.caughtBy().isEmpty() || end.caughtBy().contains(finding.check().name()));
  }

  /** Says it at length: the outcome, each check, and the first lines that prove what is wrong. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(outcome).append(end == null ? "" : "  " + end.arm() + ", " + end.workload());
    text.append("\n  asked: ").append(thresholds).append('\n');
    doubts.forEach(doubt -> text.append("  V: ").append(doubt).append('\n'));
    findings.forEach(finding -> append(text, finding, ""));
    counted.forEach(finding -> append(text, finding, " (not claimed)"));
    return text.toString();
  }

  private static void append(StringBuilder text, Finding finding, String remark) {
    text.append("  ").append(finding.summary()).append(remark).append('\n');
    finding.violations().stream()
        .limit(5)
        .forEach(violation -> text.append("      ").append(violation).append('\n'));
  }
}
