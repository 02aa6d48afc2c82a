package dev.fencing.harness.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.harness.checker.Verdict.Outcome;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunDirectory;
import dev.fencing.harness.history.RunEnd;
import dev.fencing.harness.history.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run in which too little happened is unknown, never valid. */
class VacuityTest {

  private static final Run GOOD = new RandomRun(1, 3_000).run();

  @Test
  void runInWhichEnoughHappenedIsValid() {
    assertThat(Checker.check(GOOD, Thresholds.FULL).outcome()).isEqualTo(Outcome.VALID);
  }

  @Test
  void emptyRunIsUnknown() {
    Run empty = new Run(List.of(), List.of(), List.of(), null, 0);

    assertThat(Checker.check(empty, Thresholds.FULL).outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(Checker.check(empty, new Thresholds(0, 0, 0, 0, 0)).outcome())
        .isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void emptyRunThatCameToItsEndIsUnknown() {
    Run empty = new Run(List.of(), List.of(), List.of(), GOOD.end(), 0);

    assertThat(Checker.check(empty, new Thresholds(0, 0, 0, 0, 0)).doubts())
        .contains(
            "no acquire was acknowledged",
            "no renew was acknowledged",
            "0 of 0 planned faults are proved, 0 % are needed");
  }

  @Test
  void tameRunIsUnknown() {
    Story story = new Story();
    for (int i = 1; i <= 100; i++) {
      story.take(i % 6, "h" + i, i);
      story.read(i % 6, "h" + i, i - 1, i == 1 ? null : i - 1L);
      story.write(i % 6, "h" + i, "op" + i, i, i);
      story.release(i % 6, "h" + i);
    }

    Verdict verdict = story.verdict();

    assertThat(verdict.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(verdict.doubts())
        .containsExactly(
            "0 two-believer episodes, at least 30 are needed",
            "0 overtaken holders, at least 10 are needed",
            "0 stale attempts, at least 30 are needed",
            "0 sessions expired by the server, at least 10 are needed",
            "no renew was acknowledged",
            "0 of 0 planned faults are proved, 80 % are needed");
  }

  @Test
  void eachThresholdCountsByItself() {
    int episodes = Episodes.of(new Indexed(GOOD)).size();
    int overtaken = Episodes.overtaken(Episodes.of(new Indexed(GOOD)));
    int stale = StaleAttempts.of(new Indexed(GOOD)).tried().size();
    int expiries = GOOD.faults().size();

    assertThat(doubts(new Thresholds(episodes, overtaken, stale, expiries, 1))).isEmpty();
    assertThat(doubts(new Thresholds(episodes + 1, overtaken, stale, expiries, 1)))
        .containsExactly(
            "%d two-believer episodes, at least %d are needed".formatted(episodes, episodes + 1));
    assertThat(doubts(new Thresholds(episodes, overtaken + 1, stale, expiries, 1)))
        .containsExactly(
            "%d overtaken holders, at least %d are needed".formatted(overtaken, overtaken + 1));
    assertThat(doubts(new Thresholds(episodes, overtaken, stale + 1, expiries, 1)))
        .containsExactly("%d stale attempts, at least %d are needed".formatted(stale, stale + 1));
    assertThat(doubts(new Thresholds(episodes, overtaken, stale, expiries + 1, 1)))
        .containsExactly(
            "%d sessions expired by the server, at least %d are needed"
                .formatted(expiries, expiries + 1));
  }

  /** One frozen holder makes an episode with each that comes after it. */
  @Test
  void manyEpisodesOfOneHolderAreNotEnough() {
    Story story = new Story();
    story.take(0, "frozen", 1);
    for (int i = 2; i <= 100; i++) {
      story.take(1 + i % 5, "h" + i, i);
      story.release(1 + i % 5, "h" + i);
    }

    assertThat(Episodes.of(new Indexed(story.run()))).hasSize(99);
    assertThat(story.verdict().doubts()).contains("1 overtaken holders, at least 10 are needed");
  }

  private static List<String> doubts(Thresholds thresholds) {
    return Checker.check(GOOD, thresholds).doubts();
  }

  @Test
  void faultsThatAreNotProvedDoNotCount() {
    List<Fault> faults = new ArrayList<>(GOOD.faults());
    int planned = faults.size() * 3 / 2;
    while (faults.size() < planned) {
      faults.add(
          new Fault(FaultKind.CUT_DATABASE, 1, 2, 0, null, false, "no connection", "random"));
    }

    Verdict verdict =
        Checker.check(new Run(GOOD.history(), GOOD.log(), faults, GOOD.end(), 0), Thresholds.FULL);

    assertThat(verdict.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(verdict.doubts())
        .containsExactly(
            "%d of %d planned faults are proved, 80 %% are needed"
                .formatted(GOOD.faults().size(), planned));
  }

  @Test
  void withoutTheLogOrTheEndItIsUnknown() {
    Run noLog = new Run(GOOD.history(), null, GOOD.faults(), GOOD.end(), 0);
    Run noEnd = new Run(GOOD.history(), GOOD.log(), GOOD.faults(), null, 0);

    assertThat(Checker.check(noLog, Thresholds.FULL).doubts())
        .containsExactly("oplog.edn is missing: what the database accepted is not known");
    assertThat(Checker.check(noEnd, Thresholds.FULL).doubts())
        .containsExactly("end.edn is missing: the run did not get to its end");
  }

  @Test
  void linesThatAreNoHistoryMakeItUnknown() {
    List<Op> twice = new ArrayList<>(GOOD.history());
    twice.add(Op.invoke(OpFunction.READ, 0, 99).resource("lock-0").at(Long.MAX_VALUE - 1));
    twice.add(Op.invoke(OpFunction.READ, 0, 99).resource("lock-0").at(Long.MAX_VALUE));

    Verdict verdict =
        Checker.check(new Run(twice, GOOD.log(), GOOD.faults(), GOOD.end(), 0), Thresholds.FULL);

    assertThat(verdict.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(verdict.doubts())
        .containsExactly(
            "1 lines are no history; the first: line with :index %d (process 99, INVOKE READ) begins before the process has ended what it did"
                .formatted(twice.size() - 1));
  }

  @Test
  void processThatDidNotKnowMustNotGoOnUnderItsNumber() {
    Story story = new Story();
    story.take(0, "a", 33);
    Op renew = story.begin(OpFunction.RENEW, 0, "a");
    story.end(renew, OpType.INFO);
    story.read(0, "a", 0, null);
    assertThat(new Indexed(story.run()).malformed()).isEmpty();

    story.ops.add(Op.invoke(OpFunction.READ, 0, 0).resource(Story.LOCK).at(story.now() + 1));
    assertThat(new Indexed(story.run()).malformed()).hasSize(1);
  }

  @Test
  void damageInATameRunIsDamage() {
    Story story = new Story();
    story.acquire(0, "a", 33);
    story.acquire(1, "b", 33);

    assertThat(story.verdict().outcome()).isEqualTo(Outcome.INVALID);
  }

  @Test
  void whatAnArmDoesNotClaimCondemnsNothing() {
    List<Op> history = new ArrayList<>(GOOD.history());
    Op grant =
        history.stream()
            .filter(op -> op.f() == OpFunction.ACQUIRE && op.type() == OpType.OK)
            .skip(5)
            .findFirst()
            .orElseThrow();
    history.set(grant.index(), grant.completed(OpType.OK).token(1L).at(grant.time()));

    Verdict all = check(history, List.of());
    Verdict some = check(history, List.of("C1", "C4"));

    assertThat(all.failed()).extracting(Finding::check).contains(Check.C7);
    assertThat(some.outcome()).isEqualTo(Outcome.VALID);
    assertThat(some.finding(Check.C7).fails()).isTrue();
  }

  private static Verdict check(List<Op> history, List<String> claims) {
    return Checker.check(
        new Run(history, GOOD.log(), GOOD.faults(), end("P1", Workload.COUNTER, claims), 0),
        Thresholds.FULL);
  }

  @Test
  void mutantIsCaughtOnlyByACheckThatShouldCatchIt() {
    Story story = new Story();
    story.acquire(0, "a", 33);
    story.acquire(1, "b", 33);
    Run damaged = story.run();

    assertThat(caught(damaged, "plain", List.of())).isTrue();
    assertThat(caught(damaged, "plain", List.of("C4", "C7"))).isTrue();
    assertThat(caught(damaged, "plain", List.of("C4"))).isFalse();
    assertThat(caught(damaged, "P1", List.of())).isFalse();
    assertThat(caught(GOOD, "plain", List.of())).isFalse();
  }

  private static boolean caught(Run run, String arm, List<String> by) {
    RunEnd is = end(arm, Workload.COUNTER, List.of());
    RunEnd end =
        new RunEnd(
            arm,
            is.workload(),
            1,
            1,
            1000,
            250,
            0,
            0,
            0,
            null,
            is.healedAcquire(),
            null,
            null,
            List.of(),
            by);
    return Checker.check(new Run(run.history(), run.log(), run.faults(), end, 0), Thresholds.FULL)
        .caught();
  }

  private static RunEnd end(String arm, Workload workload, List<String> claims) {
    RunEnd end = Objects.requireNonNull(GOOD.end());
    return new RunEnd(
        arm,
        workload,
        1,
        end.seconds(),
        1000,
        250,
        0,
        0,
        0,
        null,
        end.healedAcquire(),
        null,
        null,
        claims,
        List.of());
  }

  @Test
  void lockAloneNeedsNoWritesAndNoStaleAttempts() {
    Story story = new Story();
    for (int i = 1; i <= 40; i++) {
      story.acquire(i % 6, "h" + i, i);
      story.acquire((i + 1) % 6, "i" + i, i + 1000);
      story.release(i % 6, "h" + i);
      story.release((i + 1) % 6, "i" + i);
    }
    story.faults.addAll(GOOD.faults());
    Run run = story.run();

    Verdict verdict =
        Checker.check(
            new Run(
                run.history(),
                null,
                run.faults(),
                new RunEnd(
                    "P1",
                    Workload.LOCK_ONLY,
                    1,
                    9,
                    1000,
                    250,
                    0,
                    0,
                    0,
                    10L,
                    Map.of(Story.LOCK, Map.of(0, 1.0)),
                    null,
                    null,
                    List.of("C9", "C10"),
                    List.of()),
                0),
            Thresholds.FULL);

    assertThat(verdict.doubts()).isEmpty();
    assertThat(verdict.outcome()).isEqualTo(Outcome.VALID);
  }

  @Test
  void filesThatAreCutOffAnywhereAreNeverValid(@TempDir Path path) throws IOException {
    RunDirectory directory = new RunDirectory(path);
    directory.writeHistory(GOOD.history());
    directory.writeLog(Objects.requireNonNull(GOOD.log()));
    directory.writeFaults(GOOD.faults());
    directory.writeEnd(Objects.requireNonNull(GOOD.end()));
    assertThat(Checker.check(directory.read(), Thresholds.FULL).outcome()).isEqualTo(Outcome.VALID);
    byte[] log = Files.readAllBytes(directory.logFile());

    Files.write(directory.logFile(), Arrays.copyOf(log, log.length / 2));
    Run run = directory.read();
    assertThat(run.torn()).isEqualTo(1);
    assertThat(Checker.check(run, Thresholds.FULL).outcome()).isEqualTo(Outcome.INVALID);

    Files.write(directory.logFile(), log);
    Files.writeString(directory.endFile(), "", StandardOpenOption.TRUNCATE_EXISTING);
    assertThat(Checker.check(directory.read(), Thresholds.FULL).outcome())
        .isEqualTo(Outcome.UNKNOWN);
  }
}
