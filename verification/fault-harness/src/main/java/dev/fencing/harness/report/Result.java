package dev.fencing.harness.report;

import dev.fencing.harness.checker.Checker;
import dev.fencing.harness.checker.Indexed;
import dev.fencing.harness.checker.Thresholds;
import dev.fencing.harness.checker.Verdict;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunDirectory;
import dev.fencing.harness.history.RunEnd;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** One run, checked and measured. It keeps some seconds of the history for the timeline. */
public final class Result {

  private final String name;
  private final Verdict verdict;
  private final Measures measures;
  private final List<FaultNumbers> faults;
  private final Timeline timeline;
  private final int torn;

  private Result(String name, Indexed run, Thresholds thresholds) {
    this.name = name;
    verdict = Checker.check(run, thresholds);
    measures = Measures.of(run);
    faults = FaultNumbers.of(run, verdict, measures);
    timeline = Timeline.of(run, verdict, measures);
    torn = run.run().torn();
  }

  /**
   * Reads and judges a run. Needs memory for its whole history until it returns.
   *
   * @throws IOException if a file cannot be read, or is damaged elsewhere than at its end
   */
  public static Result of(RunDirectory directory, Thresholds thresholds) throws IOException {
    return of(Objects.toString(directory.path().getFileName()), directory.read(), thresholds);
  }

  static Result of(String name, Run run, Thresholds thresholds) {
    return new Result(name, new Indexed(run), thresholds);
  }

  /** Returns what is to be thought of it. */
  public Verdict verdict() {
    return verdict;
  }

  /**
   * Tells whether it went as it should: a run of the product is valid and its locks were taken over
   * in time, a mutant was caught by a check that should catch it.
   */
  public boolean asItShould() {
    return isProduct()
        ? verdict.outcome() == Verdict.Outcome.VALID && !measures.isLate()
        : verdict.caught();
  }

  /** Says in a few words what is to be thought of it. */
  public String outcome() {
    return verdict.outcome() + (isProduct() && measures.isLate() ? ", " + late() : "");
  }

  /** Says it at length. */
  String text() {
    return verdict.text() + (isProduct() && measures.isLate() ? "  " + late() + "\n" : "");
  }

  private String late() {
    Spread spread = measures.takeovers().spread();
    return String.format(
        Locale.ROOT,
        "but take-over p99 of %d is %.2f s, more than %.2f s",
        spread.count(),
        spread.p99(),
        measures.takeoverBound());
  }

  boolean isProduct() {
    RunEnd end = verdict.end();
    return end == null || end.isProduct();
  }

  String arm() {
    RunEnd end = verdict.end();
    return end == null ? name : end.arm();
  }

  String workload() {
    RunEnd end = verdict.end();
    return end == null ? "?" : end.workload().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  String name() {
    return name;
  }

  Measures measures() {
    return measures;
  }

  List<FaultNumbers> faults() {
    return faults;
  }

  Timeline timeline() {
    return timeline;
  }

  int torn() {
    return torn;
  }
}
