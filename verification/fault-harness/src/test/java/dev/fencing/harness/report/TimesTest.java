package dev.fencing.harness.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.harness.checker.Thresholds;
import dev.fencing.harness.checker.Verdict.Outcome;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunEnd;
import dev.fencing.harness.history.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is measured of a run's times, and what it costs the run to be too slow. */
class TimesTest {

  private static final Thresholds NOTHING = new Thresholds(0, 0, 0, 0, 0);

  private final List<Op> ops = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private int holds;

  @Test
  void outageLastsUntilSomebodyGetsTheLockHoweverOftenItWasAskedFor() {
    acquire(0, 100, 200, OpType.OK);
    acquire(1, 500, 4_500, OpType.FAIL);
    acquire(1, 4_600, 7_000, OpType.OK);

    assertThat(result().measures().outage()).isEqualTo(6.5);
  }

  @Test
  void outageLastsUntilTheLastOneGivesUp() {
    acquire(0, 100, 200, OpType.OK);
    acquire(1, 1_000, 5_000, OpType.FAIL);
    acquire(2, 2_000, 6_000, OpType.FAIL);

    assertThat(result().measures().outage()).isEqualTo(5);
  }

  @Test
  void noOutageIsWhereNobodyWaits() {
    acquire(0, 100, 200, OpType.OK);
    acquire(1, 9_000, 9_100, OpType.OK);

    assertThat(result().measures().outage()).isEqualTo(0.1);
  }

  @Test
  void takeoverBeginsWhenItIsFirstAskedForAfterTheFault() {
    acquire(0, 100, 200, OpType.OK);
    pause(1_000, 9_000);
    acquire(1, 1_500, 5_500, OpType.FAIL);
    acquire(1, 5_600, 6_000, OpType.OK);

    assertThat(result().measures().takeovers().times())
        .extracting(Takeovers.Takeover::seconds)
        .containsExactly(4.5);
  }

  @Test
  void productWhoseLocksAreTakenOverInTimeIsAsItShouldBe() {
    takeovers(Measures.ENOUGH_TAKEOVERS, 2_400);

    Result result = result();

    assertThat(result.outcome()).isEqualTo("VALID");
    assertThat(result.asItShould()).isTrue();
  }

  @Test
  void productWhoseLocksAreTakenOverTooLateIsNotAsItShouldBe() {
    takeovers(Measures.ENOUGH_TAKEOVERS, 2_600);

    Result result = result();

    assertThat(result.verdict().outcome()).isEqualTo(Outcome.VALID);
    assertThat(result.asItShould()).isFalse();
    assertThat(result.outcome())
        .isEqualTo("VALID, but take-over p99 of 30 is 2.60 s, more than 2.50 s");
    assertThat(new Report(new Meta("long", "", 1, Map.of()), List.of(result)).terminal())
        .contains("2.50 MISSED")
        .contains("take-over p99 of 30 is 2.60 s")
        .contains("0 of 1 runs of the product are valid");
  }

  @Test
  void fewTakeoversHaveNoPercentileToJudge() {
    takeovers(Measures.ENOUGH_TAKEOVERS - 1, 2_600);

    assertThat(result().asItShould()).isTrue();
    assertThat(new Report(new Meta("long", "", 1, Map.of()), List.of(result())).terminal())
        .contains("too few")
        .doesNotContain("2.50 met");
  }

  /** Frozen for 3 s, the session of 1 s ended, and somebody waits. */
  private void takeovers(int count, long late) {
    for (int i = 0; i < count; i++) {
      long start = i * 10_000L;
      acquire(0, start, start + 10, OpType.OK);
      pause(start + 100, start + 3_100);
      acquire(1, start + 50, start + 100 + late, OpType.OK);
      release(0, start + 3_200);
      release(1, start + 3_300);
    }
  }

  private void acquire(int worker, long from, long to, OpType how) {
    holds++;
    Op invoke =
        Op.invoke(OpFunction.ACQUIRE, worker, worker)
            .resource("lock-0")
            .hold("w" + worker + "-" + holds)
            .at(from * 1_000_000);
    ops.add(invoke);
    ops.add(invoke.completed(how).token(how == OpType.OK ? (long) holds : null).at(to * 1_000_000));
  }

  private void release(int worker, long time) {
    String hold =
        ops.stream()
            .filter(op -> op.worker() == worker && op.f() == OpFunction.ACQUIRE)
            .reduce((first, second) -> second)
            .map(Op::hold)
            .orElseThrow();
    Op invoke =
        Op.invoke(OpFunction.RELEASE, worker, worker)
            .resource("lock-0")
            .hold(hold)
            .at(time * 1_000_000);
    ops.add(invoke);
    ops.add(invoke.completed(OpType.OK).at(time * 1_000_000 + 1));
  }

  private void pause(long from, long to) {
    faults.add(
        new Fault(
            FaultKind.PAUSE_HOLDER,
            from * 1_000_000,
            to * 1_000_000,
            0,
            "lock-0",
            true,
            PausedHolder.EXPIRED,
            "random"));
  }

  private Result result() {
    ops.sort(Comparator.comparingLong(Op::time));
    RunEnd end =
        new RunEnd(
            "P1",
            Workload.LOCK_ONLY,
            1,
            5,
            1000,
            250,
            0,
            0,
            0,
            null,
            Map.of("lock-0", Map.of(0, 0.1, 1, 0.1, 2, 0.1)),
            null,
            null,
            List.of(),
            List.of());
    return Result.of("made by hand", new Run(ops, null, faults, end, 0), NOTHING);
  }
}
