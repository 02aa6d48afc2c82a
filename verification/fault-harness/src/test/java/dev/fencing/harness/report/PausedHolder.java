package dev.fencing.harness.report;

import dev.fencing.harness.checker.Indexed;
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

/** One holder that is paused at 1 s, and one that waits behind it. */
final class PausedHolder {

  /** What proves that a session was ended. */
  static final String EXPIRED = "state T; server log: Expiring session 0x1f";

  private PausedHolder() {}

  static List<Double> takeovers(long pauseMillis, long releaseMillis, Fault... others) {
    return takeovers("state T", pauseMillis, releaseMillis, others);
  }

  static List<Double> takeovers(
      String proof, long pauseMillis, long releaseMillis, Fault... others) {
    List<Op> ops = new ArrayList<>();
    add(ops, OpFunction.ACQUIRE, 0, 100, 200, 33);
    add(ops, OpFunction.RELEASE, 0, releaseMillis, releaseMillis + 1, 33);
    add(ops, OpFunction.ACQUIRE, 1, 500, 2_250, 34);
    ops.sort(Comparator.comparingLong(Op::time));
    List<Fault> faults = new ArrayList<>(List.of(others));
    faults.add(pause(0, 1_000, 1_000 + pauseMillis, proof));
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
            Map.of(),
            null,
            null,
            List.of(),
            List.of());
    return new Takeovers(new Indexed(new Run(ops, null, faults, end, 0)))
        .times().stream().map(Takeovers.Takeover::seconds).toList();
  }

  static Fault pause(int worker, long from, long to) {
    return pause(worker, from, to, "state T");
  }

  private static Fault pause(int worker, long from, long to, String proof) {
    return new Fault(
        FaultKind.PAUSE_HOLDER,
        from * 1_000_000,
        to * 1_000_000,
        worker,
        "lock-0",
        true,
        proof,
        "random");
  }

  private static void add(List<Op> ops, OpFunction f, int worker, long from, long to, long token) {
    Op invoke =
        Op.invoke(f, worker, worker).resource("lock-0").hold("h" + worker).at(from * 1_000_000);
    ops.add(invoke);
    ops.add(invoke.completed(OpType.OK).token(token).at(to * 1_000_000));
  }
}
