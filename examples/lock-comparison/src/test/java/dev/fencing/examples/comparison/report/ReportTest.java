package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Histories.change;
import static dev.fencing.examples.comparison.report.Histories.run;
import static dev.fencing.examples.comparison.report.Histories.timed;
import static dev.fencing.examples.comparison.report.Histories.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  private static final List<Transaction> ONE =
      List.of(transaction(1, 16, 1_000, Outcome.WRITTEN, 33, 10, 210, 150));
  private static final List<Change> ITS_CHANGE = List.of(change(1, 1_000, 1_016));

  /** Of two landed updates one is lost. */
  private static final List<Transaction> TWO =
      List.of(
          transaction(1, 16, 1_000, Outcome.WRITTEN, 33, 10, 210, 150),
          transaction(2, 5, 1_000, Outcome.WRITTEN, 34, 100, 110, 0));

  private static final List<Change> THEIR_CHANGES =
      List.of(change(1, 1_000, 1_005), change(2, 1_005, 1_016));

  @Test
  void aFenceThatLetsAStaleWriteThroughIsAProblem() {
    Report report = report(result(Protection.FENCED, null, run("arm", TWO, THEIR_CHANGES)));

    assertThat(report.asItShould()).isFalse();
    assertThat(report.problems())
        .containsExactly(
            "arm is fenced and lost 1 update: the first is that of transaction 2 (token 34),"
                + " overwritten by 1 (token 33) on alice");
    assertThat(report.terminal()).contains("WRONG\n  arm is fenced");
  }

  @Test
  void aLockThatLosesUpdatesIsNone() {
    Report report = report(result(Protection.LEASE, null, run("arm", TWO, THEIR_CHANGES)));

    assertThat(report.problems()).isEmpty();
    assertThat(report.nothingLost()).isEmpty();
  }

  @Test
  void anInconsistentHistoryIsAProblemOfEveryArm() {
    Report report = report(result(Protection.LEASE, null, run("arm", TWO, ITS_CHANGE)));

    assertThat(report.asItShould()).isFalse();
    assertThat(report.problems()).first().asString().startsWith("arm: alice: ");
  }

  @Test
  void whoLostNothingWithoutAPauseLongerThanItsLeaseSaysSo() {
    assertThat(whyNothing(run("arm", 3_000, ONE, ITS_CHANGE, 7, 0, 0)))
        .isEqualTo(
            "arm lost nothing of 1 update: 0 of 7 pauses lasted longer than the lease of 3.00 s, so"
                + " no lease ended under its holder; this run proves nothing for it.");
  }

  @Test
  void whoLostNothingAlthoughTwoHeldTheLockSaysSo() {
    assertThat(whyNothing(run("arm", 500, ONE, ITS_CHANGE, 7, 5, 2)))
        .isEqualTo(
            "arm lost nothing of 1 update: 5 of 7 pauses lasted longer than the lease of 500 ms,"
                + " and two holders were at work at once 2 times, but none wrote over another's"
                + " write.");
  }

  @Test
  void whoLostNothingBecauseNobodyCameSaysSo() {
    assertThat(whyNothing(run("arm", 500, ONE, ITS_CHANGE, 7, 5, 0)))
        .endsWith("but nobody was granted the lock of a stopped holder.");
  }

  @Test
  void whoLostNothingBecauseItNoticedSaysSo() {
    List<Transaction> transactions =
        List.of(ONE.get(0), transaction(2, 5, 1_000, Outcome.LOST_LOCK));

    assertThat(whyNothing(run("arm", 500, transactions, ITS_CHANGE, 7, 5, 2)))
        .contains("1 holder noticed in time that the lock was gone");
  }

  @Test
  void aDifferenceFromAPublishedFigureIsSaidWithBothNumbers() {
    // 50.00 - 14.8 = 35.2 points; 2 pauses longer than the lease in 2 transactions.
    Report report =
        report(result(Protection.LEASE, Published.REDIS, run("arm", TWO, THEIR_CHANGES)));

    assertThat(report.differences())
        .containsExactly(
            "arm: 14.8 % overwritten were published for a plain Redis lock, and 50.00 % were"
                + " measured (1 of 2 landed updates), 35.2 points more. The share follows from how"
                + " often a holder stops for longer than its lease, which was not published; here"
                + " that befell 2 of 2 transactions (100.00 %, a lease of 1.00 s), and each cost"
                + " 0.50 updates.",
            "arm: a p99 of 12.0 ms was published; it was not measured without contention here.");
  }

  @Test
  void theLatencyBesideAPublishedOneSaysWhatTheNetworkIs() {
    ArmRun loopback = run("arm", List.of(timed(1, 1, 1, 1, 1)), List.of());
    ArmRun delayed = run("arm", List.of(timed(1, 10, 4, 4, 2)), List.of());
    Report report =
        report(
            new ArmResult(
                Protection.LEASE,
                Published.REDLOCK,
                List.of(run("arm", TWO, THEIR_CHANGES)),
                loopback,
                delayed));

    assertThat(report.differences().get(1))
        .isEqualTo(
            "arm: a p99 of 38.0 ms was published, without saying over which network; measured on"
                + " loopback: 4.00 ms; with every server behind the delaying proxy: 20.0 ms. The"
                + " proxy adds 16.0 ms to the median of 4.00 ms, in round trips that follow one"
                + " another.");
  }

  @Test
  void theGoalsAreRatiosOfTheP99BehindTheProxy() {
    Report report =
        report(
            alone("redis", Protection.LEASE, Published.REDIS, 10),
            alone("redlock", Protection.LEASE, Published.REDLOCK, 40),
            alone("fenced", Protection.FENCED, Published.FENCED, 15));

    // 15 + 3 over 10 + 3 = 1.38, and over 40 + 3 = 0.42.
    assertThat(report.goals())
        .containsExactly(
            "The p99 of fenced is 1.38 times that of redis behind the delaying proxy; at most 1.25"
                + " is the goal: NOT met. At the median it takes +5.00 ms to acquire, +0.00 ms to"
                + " read, +0.00 ms to write and +0.00 ms to release.",
            "The p99 of fenced is 0.42 times that of redlock behind the delaying proxy; at most"
                + " 0.50 is the goal: met.");
  }

  @Test
  void theCsvHasALineForEachArm(@TempDir Path directory) throws IOException {
    Path csv = directory.resolve("results.csv");
    report(
            result(Protection.LEASE, Published.REDIS, run("a, b", TWO, THEIR_CHANGES)),
            result(Protection.FENCED, null, run("c", ONE, ITS_CHANGE)))
        .writeCsv(csv);

    assertThat(Files.readAllLines(csv))
        .satisfiesExactly(
            header -> assertThat(header).startsWith("arm,protection,leaseMillis,transactions,"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "\"a, b\",\"lock, no fence\",1000,2,2,1,50.0,1,0,1,3,2,0,0,0,0,,,,,13.0,"
                            + "203.0,2.0,2.0,1.0,14.8,12.0,\"the promise of a, b\""),
            line -> assertThat(line).startsWith("c,lock and fence,1000,1,1,0,0.0,"));
  }

  @Test
  void theTerminalHasEachArmInOneLineOfEachTable() {
    String terminal = Sample.report().terminal();

    assertThat(terminal.lines().filter(line -> line.startsWith("Redlock on five servers")))
        .hasSize(2)
        .first()
        .asString()
        .matches("Redlock on five servers +7\\.00 % +14 of 200 +14 / 0 +14 +16, 14 +0/0/0/0");
    assertThat(terminal)
        .contains("  etcd lock: etcd is not installed", "  no lock: the promise of no lock");
    // Wider than that, it is broken into lines on most terminals.
    assertThat(terminal.lines().takeWhile(line -> !line.startsWith("What each promises")))
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(140));
  }

  @Test
  void whoComparesTokensAtTheWriteAloneAndLostNothingSaysWhatItWasSparedOf() {
    Report report =
        report(result(Protection.CONDITIONAL, null, run("arm", 500, ONE, ITS_CHANGE, 7, 5, 2)));

    assertThat(report.nothingLost())
        .containsExactly(
            "arm lost nothing of 1 update: 0 late writes refused, and here none came between the"
                + " read and the write of the next holder, where nothing would have refused it (5"
                + " pauses longer than the lease).");
  }

  private static String whyNothing(ArmRun run) {
    return report(result(Protection.LEASE, null, run)).nothingLost().get(0);
  }

  /** An arm that takes so long to acquire, and 3 ms for the rest. */
  private static ArmResult alone(
      String name, Protection protection, Published published, long acquire) {
    List<Transaction> transactions =
        LongStream.rangeClosed(1, 10).mapToObj(i -> timed((int) i, acquire, 1, 1, 1)).toList();
    return new ArmResult(
        protection,
        published,
        List.of(run(name, ONE, ITS_CHANGE)),
        null,
        run(name, transactions, List.of()));
  }

  private static ArmResult result(
      Protection protection, @Nullable Published published, ArmRun contended) {
    return new ArmResult(protection, published, List.of(contended), null, null);
  }

  private static Report report(ArmResult... results) {
    return new Report(Map.of(), List.of(results), Map.of());
  }
}
