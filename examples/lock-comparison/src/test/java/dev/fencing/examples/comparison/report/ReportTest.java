package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Histories.change;
import static dev.fencing.examples.comparison.report.Histories.run;
import static dev.fencing.examples.comparison.report.Histories.timed;
import static dev.fencing.examples.comparison.report.Histories.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
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
            "arm must lose nothing and lost 1 update: the first is that of transaction 2 (token 34),"
                + " overwritten by 1 (token 33) on alice");
    assertThat(report.terminal()).contains("WRONG\n  arm must lose nothing");
  }

  @Test
  void aLockOfTheDatabaseThatLosesAnUpdateIsAProblem() {
    Report report = report(result(Protection.DATABASE, null, run("arm", TWO, THEIR_CHANGES)));

    assertThat(report.problems())
        .singleElement()
        .asString()
        .startsWith("arm must lose nothing and lost 1 update: ");
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
                + " 0.50 updates on average.",
            "arm: a p99 of 12.0 ms was published; it was not measured without contention here.");
  }

  @Test
  void theGoalsAreRatiosOfTheP99BehindTheProxy() {
    Report report =
        report(
            alone("redis", Protection.LEASE, Published.REDIS, 10),
            alone("redlock", Protection.LEASE, Published.REDLOCK, 40),
            alone("fenced", Protection.FENCED, Published.FENCED, 15));

    // The slowest of ten took twice as long: 33 over 23 = 1.43, and over 83 = 0.40. The median is
    // one of the others: 18 over 13 = 1.38, and over 43 = 0.42.
    assertThat(report.goals())
        .containsExactly(
            "The p99 of fenced is 1.43 times that of redis behind the delaying proxy, and its median"
                + " 1.38 times; at most 1.25 of the p99 is the goal: NOT met. At the median it takes"
                + " +5.00 ms to acquire, +0.00 ms to read, +0.00 ms to write and +0.00 ms to release;"
                + " in the slowest hundredth of both +10.00 ms to acquire, +0.00 ms to read, +0.00 ms"
                + " to write and +0.00 ms to release.",
            "The p99 of fenced is 0.40 times that of redlock behind the delaying proxy, and its"
                + " median 0.42 times; at most 0.50 of the p99 is the goal: met.");
  }

  @Test
  void theLoopbackFiguresStandBesideTheGoals() {
    Report report =
        report(
            onLoopback(alone("redis", Protection.LEASE, Published.REDIS, 10), 2),
            onLoopback(alone("fenced", Protection.FENCED, Published.FENCED, 15), 3));

    // 3 + 3 over 2 + 3.
    assertThat(report.goals())
        .hasSize(2)
        .last()
        .isEqualTo(
            "The p99 of fenced is 1.20 times that of redis on loopback, and its median 1.00 times.");
  }

  /** The same with a loopback on which the slowest of two takes so long to acquire. */
  private static ArmResult onLoopback(ArmResult arm, long acquire) {
    ArmRun loopback =
        run(arm.arm(), List.of(timed(1, 1, 1, 1, 1), timed(2, acquire, 1, 1, 1)), List.of());
    return new ArmResult(
        arm.protection(), arm.published(), arm.contended(), loopback, arm.delayed());
  }

  @Test
  void theCsvAndTheTablesHaveEachNumberInItsColumn(@TempDir Path directory) throws IOException {
    Path csv = directory.resolve("results.csv");
    List<Transaction> transactions = new ArrayList<>(TWO);
    add(transactions, Outcome.NOT_LOCKED, 1);
    add(transactions, Outcome.LOST_LOCK, 2);
    add(transactions, Outcome.FAILED, 3);
    add(transactions, Outcome.UNKNOWN, 4);
    add(transactions, Outcome.REFUSED, 5);
    Report report =
        report(
            new ArmResult(
                Protection.LEASE,
                Published.REDLOCK,
                List.of(run("arm", 3_000, transactions, THEIR_CHANGES, 9, 8, 7)),
                run("arm", List.of(timed(1, 1, 1, 1, 1), timed(2, 2, 1, 1, 1)), List.of()),
                run("arm", List.of(timed(1, 20, 1, 1, 1), timed(2, 30, 1, 1, 1)), List.of())));
    report.writeCsv(csv);

    List<String> lines = Files.readAllLines(csv);
    assertThat(columns(lines.get(0), lines.get(1)))
        .containsOnly(
            entry("arm", "arm"),
            entry("protection", "\"lock, no fence\""),
            entry("leaseMillis", "3000"),
            entry("transactions", "17"),
            entry("landed", "2"),
            entry("lost", "1"),
            entry("lostPercent", "50.0"),
            entry("staleTried", "6"),
            entry("staleRefused", "5"),
            entry("overlaps", "7"),
            entry("pauses", "9"),
            entry("pausesLongerThanLease", "8"),
            entry("notLocked", "1"),
            entry("lostLock", "2"),
            entry("failed", "3"),
            entry("unknown", "4"),
            entry("uncontendedP50", "4.0"),
            entry("uncontendedP99", "5.0"),
            entry("delayedP50", "23.0"),
            entry("delayedP99", "33.0"),
            entry("contendedP50", "13.0"),
            entry("contendedP99", "203.0"),
            entry("waitP50", "90.0"),
            entry("waitP99", "170.0"),
            entry("writesPerSecond", "1.0"),
            entry("publishedLostPercent", "4.2"),
            entry("publishedP99", "38.0"),
            entry("promise", "the promise of arm"));
    assertThat(report.terminal().lines().filter(line -> line.matches("arm +[0-9].*")))
        .satisfiesExactly(
            damage -> assertThat(damage).matches("arm +50\\.00 % +1 of 2 +6 / 5 +7 +9, 8 +1/2/3/4"),
            speed ->
                assertThat(speed)
                    .matches(
                        "arm +4\\.00 / 5\\.00 +23\\.0 / 33\\.0 +13\\.0 / 203"
                            + " +90\\.0 / 170 +1\\.00"));
  }

  /** Each waits for ten milliseconds more than the one before. */
  private static void add(List<Transaction> transactions, Outcome outcome, int count) {
    for (int i = 0; i < count; i++) {
      int number = transactions.size() + 1;
      long acquired = outcome == Outcome.NOT_LOCKED ? 0 : 300_000_000 + number * 10_000_000L;
      transactions.add(
          new Transaction(
              number,
              0,
              "alice",
              number * 100L,
              300_000_000,
              acquired,
              3,
              4,
              5,
              0,
              1,
              2,
              outcome,
              0,
              ""));
    }
  }

  private static Map<String, String> columns(String header, String line) {
    String comma = ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"; // Not within quotes.
    String[] names = header.split(comma, -1);
    String[] values = line.split(comma, -1);
    assertThat(values).hasSameSizeAs(names);
    Map<String, String> columns = new LinkedHashMap<>();
    for (int i = 0; i < names.length; i++) {
      columns.put(names[i], values[i]);
    }
    return columns;
  }

  @Test
  void aReportThatCannotBeWrittenIsNamed(@TempDir Path directory) {
    Report report = report(result(Protection.LEASE, null, run("arm", ONE, ITS_CHANGE)));

    assertThatThrownBy(() -> report.writeHtml(directory))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory + " cannot be written: ");
    assertThatThrownBy(() -> report.writeCsv(directory))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory + " cannot be written: ");
  }

  @Test
  void aReportOfNoArmIsWritten() {
    Report report = new Report(Map.of(), List.of(), Map.of("etcd-lock", "no etcd"));

    assertThat(report.asItShould()).isTrue();
    assertThat(report.terminal()).contains("Skipped\n  etcd-lock: no etcd");
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

  /** An arm that takes so long to acquire, once twice as long, and 3 ms for the rest. */
  private static ArmResult alone(
      String name, Protection protection, Published published, long acquire) {
    List<Transaction> transactions =
        IntStream.rangeClosed(1, 10)
            .mapToObj(i -> timed(i, i == 10 ? 2 * acquire : acquire, 1, 1, 1))
            .toList();
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
