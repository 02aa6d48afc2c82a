package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A run with its operations paired, and found by what they are. */
public final class Indexed {

  private final Run run;
  private final List<Call> calls = new ArrayList<>();
  private final Map<OpFunction, List<Call>> byFunction = new EnumMap<>(OpFunction.class);
  private final Map<String, Call> byOp = new HashMap<>();
  private final Map<String, List<LoggedWrite>> rows = new TreeMap<>();
  private final Map<String, List<LoggedWrite>> accepted = new HashMap<>();
  private final List<String> malformed = new ArrayList<>();
  private final List<Hold> holds;
  private final List<Call> reads;

  /** Pairs and sorts; n log n. */
  public Indexed(Run run) {
    this.run = run;
    pair();
    for (Call call : calls) {
      byFunction.computeIfAbsent(call.f(), f -> new ArrayList<>()).add(call);
      if (call.f() == OpFunction.WRITE && call.invoke().op() != null) {
        byOp.put(call.invoke().op(), call);
      }
    }
    if (run.log() != null) {
      for (LoggedWrite write : run.log()) {
        rows.computeIfAbsent(write.key(), key -> new ArrayList<>()).add(write);
        accepted.computeIfAbsent(write.op(), op -> new ArrayList<>()).add(write);
      }
    }
    rows.values().forEach(log -> log.sort(Comparator.comparingLong(LoggedWrite::ver)));
    holds = Holds.of(this);
    reads = findReads();
  }

  private void pair() {
    List<Op> history = run.history();
    Map<Integer, Op> open = new HashMap<>();
    Set<Integer> over = new HashSet<>();
    @Nullable Op[] completions = new @Nullable Op[history.size()];
    long time = Long.MIN_VALUE;
    for (Op op : history) {
      if (op.time() < time) {
        malformed(op, "is earlier than the line before it");
      }
      time = op.time();
      if (op.type() == OpType.INVOKE) {
        if (over.contains(op.process())) {
          malformed(op, "goes on under the number of a process that did not know how it went");
        }
        if (open.put(op.process(), op) != null) {
          malformed(op, "begins before the process has ended what it did");
        }
      } else {
        Op invocation = open.remove(op.process());
        if (invocation == null || invocation.f() != op.f()) {
          malformed(op, "ends what was not begun");
        } else {
          completions[invocation.index()] = op;
        }
        if (op.type() == OpType.INFO) {
          over.add(op.process());
        }
      }
    }
    for (Op op : history) {
      if (op.type() == OpType.INVOKE) {
        Call call = new Call(op, completions[op.index()]);
        lookFor(call);
        calls.add(call);
      }
    }
  }

  private void lookFor(Call call) {
    if (call.invoke().resource() == null) {
      malformed(call.invoke(), "names no resource");
    }
    if (call.f() == OpFunction.WRITE && call.invoke().op() == null) {
      malformed(call.invoke(), "is a write without :op");
    }
    boolean granted = call.f() == OpFunction.ACQUIRE && call.ok();
    if ((granted && call.hold() == null) || ((granted || call.isStale()) && call.token() == null)) {
      malformed(call.invoke(), "is granted or refused without :token or :hold");
    }
  }

  private void malformed(Op op, String what) {
    malformed.add(
        "line with :index %d (process %d, %s %s) %s"
            .formatted(op.index(), op.process(), op.type(), op.f(), what));
  }

  /** Returns what it was made from. */
  public Run run() {
    return run;
  }

  /** Returns all operations, by the time of their beginning. */
  public List<Call> calls() {
    return calls;
  }

  /** Returns the operations of a kind, by the time of their beginning. */
  public List<Call> calls(OpFunction f) {
    return byFunction.getOrDefault(f, List.of());
  }

  /** Returns every time in which somebody believed to hold a lock, by its beginning. */
  public List<Hold> holds() {
    return holds;
  }

  /** Returns the writes of each guarded row that the database accepted, by version. */
  Map<String, List<LoggedWrite>> rows() {
    return rows;
  }

  /** Returns what the database accepted of an attempt; empty if nothing. */
  public List<LoggedWrite> accepted(@Nullable String op) {
    return op == null ? List.of() : accepted.getOrDefault(op, List.of());
  }

  /** Returns the attempts of which the database accepted something. */
  Set<String> acceptedOps() {
    return accepted.keySet();
  }

  /**
   * Returns the attempt that a line of the log comes from; null if the history does not have it.
   */
  @Nullable Call attempt(LoggedWrite write) {
    return byOp.get(write.op());
  }

  /** Returns why the lines are no history; a run with such lines cannot be judged. */
  List<String> malformed() {
    return malformed;
  }

  /** Tells whether anybody raises a fence; if not, a lock's grants take the place of raises. */
  boolean raises() {
    return byFunction.containsKey(OpFunction.RAISE) || byFunction.containsKey(OpFunction.CLAIM);
  }

  /** Returns the operations that read guarded rows, as far as they count. */
  List<Call> reads() {
    return reads;
  }

  private List<Call> findReads() {
    List<Call> raises = new ArrayList<>(calls(OpFunction.RAISE));
    raises.addAll(calls(OpFunction.CLAIM));
    Raised raised = new Raised(raises);
    List<Call> found = new ArrayList<>();
    for (OpFunction f : List.of(OpFunction.READ, OpFunction.CLAIM)) {
      calls(f).stream().filter(raised::counts).forEach(found::add);
    }
    return found;
  }
}
