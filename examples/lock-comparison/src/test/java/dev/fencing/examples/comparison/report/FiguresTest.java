package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Histories.change;
import static dev.fencing.examples.comparison.report.Histories.run;
import static dev.fencing.examples.comparison.report.Histories.timed;
import static dev.fencing.examples.comparison.report.Histories.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {

  /** 4 of 5 transactions landed; the first overwrote the second; one was refused. */
  private static final ArmRun CONTENDED =
      run(
          "an arm",
          List.of(
              transaction(1, 16, 1_000, Outcome.WRITTEN, 0, 10, 210, 150),
              transaction(2, 5, 1_000, Outcome.WRITTEN, 0, 100, 110, 0),
              transaction(3, 7, 1_016, Outcome.WRITTEN, 0, 220, 225, 0),
              transaction(4, 9, 1_000, Outcome.REFUSED, 0, 12, 240, 200),
              transaction(5, 11, 1_023, Outcome.UNKNOWN, 0, 250, 260, 0)),
          List.of(
              change(1, 1_000, 1_005),
              change(2, 1_005, 1_016),
              change(3, 1_016, 1_023),
              change(4, 1_023, 1_034)));

  @Test
  void lostUpdatesAreAShareOfThoseThatLanded() {
    Figures figures = figures(CONTENDED);

    assertThat(figures.transactions()).isEqualTo(5);
    assertThat(figures.landed()).isEqualTo(4);
    assertThat(figures.lost()).isEqualTo(1);
    assertThat(figures.lostPercent()).isEqualTo(25.0);
  }

  @Test
  void aStaleWriteWasTriedWhetherItLandedOrNot() {
    assertThat(figures(CONTENDED).staleTried()).isEqualTo(2);
    assertThat(figures(CONTENDED).refused()).isEqualTo(1);
  }

  @Test
  void throughputIsWhatLandedInASecond() {
    // 4 in the 2 s from 0.5 to 2.5 s.
    assertThat(figures(CONTENDED).throughput()).isEqualTo(2.0);
  }

  @Test
  void contendedLatencyIsFromTheRequestToTheAnswerOfTheReleaseOfWhatWasWritten() {
    // Request 2 ms before the grant, release 1 ms after the end: 203, 13 and 8 ms.
    Quantiles contended = figures(CONTENDED).contended();

    assertThat(contended.count()).isEqualTo(3);
    assertThat(contended.p50()).isEqualTo(13.0);
    assertThat(contended.p99()).isEqualTo(203.0);
  }

  @Test
  void whoseReleaseFailedHasNoLatency() {
    Transaction kept =
        new Transaction(
            1, 0, "alice", 16, 1, 2, 3, 4, 0, 0, 1_000, 1_016, Outcome.WRITTEN, 0, "release: no");
    Figures figures = figures(run("an arm", List.of(kept), List.of(change(1, 1_000, 1_016))));

    assertThat(figures.contended().count()).isZero();
    assertThat(figures.landed()).isOne();
  }

  @Test
  void whereNothingLandedThereIsNoShare() {
    Figures figures = figures(run("an arm", List.of(notLocked()), List.of()));

    assertThat(figures.lostPercent()).isNaN();
    assertThat(figures.throughput()).isZero();
  }

  @Test
  void whoGotNoLockIsNotAmongThoseThatWaited() {
    ArmRun run =
        run(
            "an arm",
            List.of(transaction(1, 16, 1_000, Outcome.WRITTEN), notLocked()),
            List.of(change(1, 1_000, 1_016)));

    assertThat(figures(run).waited().count()).isOne();
    assertThat(figures(run).waited().max()).isEqualTo(2.0);
    assertThat(figures(run).count(Outcome.NOT_LOCKED)).isOne();
  }

  private static Transaction notLocked() {
    return new Transaction(
        2, 0, "alice", 5, 1_000_000, 0, 0, 9_000_000, 0, 0, 0, 0, Outcome.NOT_LOCKED, 0, "");
  }

  @Test
  void severalRunsAreAddedUp() {
    Figures figures =
        Figures.of(
            new ArmResult(Protection.LEASE, null, List.of(CONTENDED, CONTENDED), null, null));

    assertThat(figures.landed()).isEqualTo(8);
    assertThat(figures.lost()).isEqualTo(2);
    assertThat(figures.lostPercent()).isEqualTo(25.0);
    assertThat(figures.throughput()).isEqualTo(2.0);
    assertThat(figures.overlaps()).isEqualTo(2);
    assertThat(figures.pauses()).isEqualTo(6);
    assertThat(figures.pausesLongerThanLease()).isEqualTo(4);
  }

  @Test
  void uncontendedLatencyAndItsPartsComeFromTheirOwnRuns() {
    // 10 = 4+1+3+2, 17 = 5+1+8+3, 24 = 6+1+13+4 ms.
    ArmRun uncontended =
        run(
            "an arm",
            List.of(timed(1, 4, 1, 3, 2), timed(2, 5, 1, 8, 3), timed(3, 6, 1, 13, 4)),
            List.of());
    ArmRun delayed = run("an arm", List.of(timed(1, 20, 5, 10, 15)), List.of());
    Figures figures =
        Figures.of(new ArmResult(Protection.LEASE, null, List.of(CONTENDED), uncontended, null));
    Figures both =
        Figures.of(new ArmResult(Protection.LEASE, null, List.of(CONTENDED), uncontended, delayed));

    assertThat(figures.uncontended().p50()).isEqualTo(17.0);
    assertThat(figures.uncontended().p99()).isEqualTo(24.0);
    assertThat(figures.profile()).isEqualTo(new Phases(5, 1, 8, 3));
    assertThat(both.delayed().p50()).isEqualTo(50.0);
    assertThat(both.profile()).isEqualTo(new Phases(20, 5, 10, 15));
  }

  private static Figures figures(ArmRun run) {
    return Figures.of(new ArmResult(Protection.LEASE, null, List.of(run), null, null));
  }
}
