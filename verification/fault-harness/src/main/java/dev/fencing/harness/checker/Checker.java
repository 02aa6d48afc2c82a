package dev.fencing.harness.checker;

import dev.fencing.harness.checker.Verdict.Outcome;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunEnd;
import java.util.ArrayList;
import java.util.List;

/** Judges runs. */
public final class Checker {

  private static final List<Rule> RULES =
      List.of(
          new Versions(),
          new Acknowledged(),
          new TokenOrder(),
          new LostUpdates(),
          new WritesPastReads(),
          new RealTime(),
          new LockTokens(),
          new FalseRefusals(),
          new LiveLeases(),
          new Leftovers(),
          new Healed(),
          new Bank(),
          new Harm());

  private Checker() {}

  /** Judges a run, by what its arm claims; see {@link RunEnd#claims()}. */
  public static Verdict check(Run run, Thresholds thresholds) {
    return check(new Indexed(run), thresholds);
  }

  /** Like {@link #check(Run, Thresholds)}. */
  public static Verdict check(Indexed run, Thresholds thresholds) {
    RunEnd end = run.run().end();
    List<String> claims = end == null ? List.of() : end.claims();
    List<Finding> findings = new ArrayList<>();
    List<Finding> counted = new ArrayList<>();
    for (Rule rule : RULES) {
      Finding finding = rule.judge(run);
      boolean claimed = claims.isEmpty() || claims.contains(finding.check().name());
      (claimed ? findings : counted).add(finding);
    }
    List<String> doubts = Vacuity.doubts(run, thresholds);
    Outcome outcome =
        findings.stream().anyMatch(Finding::fails)
            ? Outcome.INVALID
            : doubts.isEmpty() ? Outcome.VALID : Outcome.UNKNOWN;
    return new Verdict(
        outcome, List.copyOf(findings), List.copyOf(counted), doubts, thresholds, end);
  }
}
