package dev.fencing.harness.checker;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunEnd;
import dev.fencing.harness.history.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A history made by hand: each line a millisecond after the one before. One lock, "lock-0". */
final class Story {

  static final String LOCK = "lock-0";

  final List<Op> ops = new ArrayList<>();
  final List<LoggedWrite> log = new ArrayList<>();
  final List<Fault> faults = new ArrayList<>();
  private final Map<String, Long> tokens = new HashMap<>();
  private final Map<Integer, Integer> processes = new HashMap<>();
  private final Map<Integer, Double> healed = new TreeMap<>();
  private long time;
  Workload workload = Workload.COUNTER;
  @Nullable Long bankTotal;
  long children;

  long now() {
    return time;
  }

  Op begin(OpFunction f, int worker, String hold) {
    return begin(f, worker, hold, null, null);
  }

  Op begin(OpFunction f, int worker, String hold, @Nullable String op, @Nullable Object value) {
    return add(
        Op.invoke(f, worker, processes.getOrDefault(worker, worker))
            .resource(LOCK)
            .hold(hold)
            .op(op)
            .value(value)
            .token(tokens.get(hold)));
  }

  Op end(Op invoke, OpType type) {
    return end(invoke.completed(type));
  }

  Op end(Op.Builder builder) {
    Op op = add(builder);
    if (op.type() == OpType.INFO) {
      processes.merge(op.worker(), op.worker() + 6, (is, first) -> is + 6);
    }
    return op;
  }

  private Op add(Op.Builder builder) {
    time += 1_000_000;
    Op op = builder.at(time).at(ops.size());
    ops.add(op);
    return op;
  }

  void acquire(int worker, String hold, long token) {
    granted(begin(OpFunction.ACQUIRE, worker, hold), token);
  }

  void granted(Op acquire, long token) {
    if (acquire.hold() != null) {
      tokens.putIfAbsent(acquire.hold(), token);
    }
    end(acquire.completed(OpType.OK).token(token));
  }

  void raise(int worker, String hold) {
    end(begin(OpFunction.RAISE, worker, hold), OpType.OK);
  }

  /** Acquires and raises. */
  void take(int worker, String hold, long token) {
    acquire(worker, hold, token);
    raise(worker, hold);
  }

  void read(int worker, String hold, long ver, @Nullable Object value) {
    end(begin(OpFunction.READ, worker, hold).completed(OpType.OK).value(new Row(ver, value)));
  }

  void write(int worker, String hold, String op, long ver, long value) {
    Op write = begin(OpFunction.WRITE, worker, hold, op, value);
    accept(hold, op, ver, ver - 1, ver == 1 ? null : value - 1, value);
    end(write, OpType.OK);
  }

  void accept(
      String hold,
      String op,
      long ver,
      long readVer,
      @Nullable Object old,
      @Nullable Object fresh) {
    accept(hold, op, LOCK, ver, readVer, old, fresh);
  }

  void accept(
      String hold,
      String op,
      String key,
      long ver,
      long readVer,
      @Nullable Object old,
      @Nullable Object fresh) {
    log.add(
        new LoggedWrite(op, LOCK, key, tokens.getOrDefault(hold, 0L), ver, readVer, old, fresh));
  }

  void refused(int worker, String hold, OpFunction f, @Nullable String op) {
    end(
        begin(f, worker, hold, op, null)
            .completed(OpType.FAIL)
            .error("StaleTokenException: stale"));
  }

  void live(int worker, String hold, boolean live) {
    end(begin(OpFunction.CHECK_LIVE, worker, hold).completed(OpType.OK).live(live));
  }

  void release(int worker, String hold) {
    end(begin(OpFunction.RELEASE, worker, hold), OpType.OK);
  }

  void healed(int worker, double seconds) {
    healed.put(worker, seconds);
  }

  Run run() {
    Map<Integer, Double> seconds = new TreeMap<>();
    ops.forEach(op -> seconds.put(op.worker(), 0.1));
    seconds.putAll(healed);
    RunEnd end =
        new RunEnd(
            "P1",
            workload,
            1,
            90,
            1000,
            250,
            children,
            0,
            0,
            null,
            Map.of(LOCK, seconds),
            bankTotal,
            bankTotal == null ? null : 800L,
            List.of(),
            List.of());
    return new Run(ops, log, faults, end, 0);
  }

  /** Returns the checks that find something. */
  List<Check> failing() {
    return verdict().failed().stream().map(Finding::check).toList();
  }

  Verdict verdict() {
    return Checker.check(run(), Thresholds.FULL);
  }
}
