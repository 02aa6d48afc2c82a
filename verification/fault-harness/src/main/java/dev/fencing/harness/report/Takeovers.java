package dev.fencing.harness.report;

import dev.fencing.harness.checker.Call;
import dev.fencing.harness.checker.Hold;
import dev.fencing.harness.checker.Indexed;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.RunEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How long it took until somebody else held a lock whose holder had been killed or paused. */
final class Takeovers {

  /**
   * One of them.
   *
   * @param seconds from the fault, or from when somebody else first asked if that was later
   */
  record Takeover(Fault fault, double seconds) {}

  private final List<Takeover> times = new ArrayList<>();
  private final Map<String, NavigableMap<Long, Hold>> holds = new HashMap<>();
  private final Map<String, NavigableMap<Long, Call>> asked = new HashMap<>();
  private final Map<String, NavigableMap<Long, Call>> granted = new HashMap<>();
  private int disturbed;

  /** Measures each fault that ended a session, or was longer than one. */
  Takeovers(Indexed run) {
    for (Hold hold : run.holds()) {
      of(holds, place(hold.worker(), hold.resource())).put(hold.from(), hold);
    }
    for (Call call : run.calls(OpFunction.ACQUIRE)) {
      of(asked, place(call.invoke().worker(), call.resource())).put(call.start(), call);
      if (call.ok()) {
        of(granted, call.resource()).put(call.end(), call);
      }
    }
    RunEnd end = run.run().end();
    long session = end == null ? 0 : end.sessionMillis() * 1_000_000;
    for (Fault fault : run.run().faults()) {
      boolean killed = fault.kind() == FaultKind.KILL_HOLDER;
      boolean paused =
          fault.kind() == FaultKind.PAUSE_HOLDER && fault.to() - fault.from() > session;
      if (fault.proved() && (killed || paused)) {
        measure(run, fault, killed);
      }
    }
  }

  private void measure(Indexed run, Fault fault, boolean killed) {
    Integer worker = fault.worker();
    String lock = fault.resource();
    if (worker == null || lock == null) {
      return;
    }
    Map.Entry<Long, Hold> hit = of(holds, place(worker, lock)).floorEntry(fault.from());
    if (hit == null || hit.getValue().to() < fault.from()) {
      return;
    }
    Call next = next(lock, worker, fault.from());
    // Who wakes up and gives the lock back has not been taken over from, unless its session was
    // gone: then it had nothing to give back, and whoever is slow to follow must not be left out.
    boolean gone = killed || fault.endedSession();
    if (next == null || (!gone && hit.getValue().to() < next.end())) {
      return;
    }
    if (isDisturbed(run, fault, lock, next.end())) {
      disturbed++;
      return;
    }
    long since = Math.max(fault.from(), firstAsked(lock, worker, fault.from(), next));
    times.add(new Takeover(fault, (next.end() - since) / 1e9));
  }

  /** Who asks again after it has waited in vain has waited from the first time on. */
  private long firstAsked(String lock, int worker, long from, Call next) {
    long first = next.start();
    for (Map.Entry<String, NavigableMap<Long, Call>> entry : asked.entrySet()) {
      if (entry.getKey().endsWith(" " + lock) && !entry.getKey().equals(place(worker, lock))) {
        for (Call call : entry.getValue().headMap(next.start(), false).values()) {
          if (call.end() > from && call.end() < Long.MAX_VALUE) {
            first = Math.min(first, call.start());
          }
        }
      }
    }
    return first;
  }

  private @Nullable Call next(String lock, int worker, long from) {
    for (Call grant : of(granted, lock).tailMap(from, false).values()) {
      if (grant.invoke().worker() != worker) {
        return grant;
      }
    }
    return null;
  }

  /** Tells whether the ensemble, or somebody else in the queue, was hit meanwhile. */
  private boolean isDisturbed(Indexed run, Fault fault, String lock, long until) {
    for (Fault other : run.run().faults()) {
      if (other.from() > until || other.to() < fault.from() || other.equals(fault)) {
        continue;
      }
      if (other.kind().hitsAll()) {
        return true;
      }
      Integer worker = other.worker();
      if (worker != null && !worker.equals(fault.worker())) {
        Map.Entry<Long, Call> waiting = of(asked, place(worker, lock)).floorEntry(until);
        if (waiting != null && waiting.getValue().end() > Math.max(other.from(), fault.from())) {
          return true;
        }
      }
    }
    return false;
  }

  List<Takeover> times() {
    return times;
  }

  /**
   * Returns how many were left out because the next in the queue or the ensemble was hit as well.
   */
  int disturbed() {
    return disturbed;
  }

  Spread spread() {
    return Spread.of(times.stream().map(Takeover::seconds).toList());
  }

  private static String place(int worker, String lock) {
    return worker + " " + lock;
  }

  private static <T> NavigableMap<Long, T> of(Map<String, NavigableMap<Long, T>> map, String key) {
    return map.computeIfAbsent(key, name -> new TreeMap<>());
  }
}
