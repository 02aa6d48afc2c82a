package dev.fencing.harness.report;

import dev.fencing.harness.checker.Call;
import dev.fencing.harness.checker.Episodes;
import dev.fencing.harness.checker.Episodes.Episode;
import dev.fencing.harness.checker.Indexed;
import dev.fencing.harness.checker.StaleAttempts;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.RunEnd;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was measured in a run.
 *
 * @param seconds how long the workers worked
 * @param holds how many times a lock was held
 * @param unknown writes of which nobody was told how they went
 * @param acquire from asking for a lock to holding it, of all that got it
 * @param takeovers from the fault that hit a holder until somebody else held the lock
 * @param takeoverBound what the 99th percentile of these should not exceed, seconds
 * @param outage the longest time in which somebody waited for a lock and nobody got it, seconds
 * @param leftovers nodes and transactions that were left; -1 if the run did not get to its end
 */
record Measures(
    double seconds,
    int holds,
    List<Episode> episodes,
    StaleAttempts stale,
    List<Call> unknown,
    Spread acquire,
    Takeovers takeovers,
    double takeoverBound,
    double outage,
    long leftovers) {

  static Measures of(Indexed run) {
    RunEnd end = run.run().end();
    List<Op> history = run.run().history();
    double length =
        history.isEmpty()
            ? 0
            : (history.get(history.size() - 1).time() - history.get(0).time()) / 1e9;
    List<Call> granted =
        run.calls(OpFunction.ACQUIRE).stream()
            .filter(Call::ok)
            .sorted(Comparator.comparingLong(Call::end))
            .toList();
    return new Measures(
        end == null ? length : end.seconds(),
        run.holds().size(),
        Episodes.of(run),
        StaleAttempts.of(run),
        run.calls(OpFunction.WRITE).stream().filter(call -> call.type() == OpType.INFO).toList(),
        Spread.of(granted.stream().map(call -> (call.end() - call.start()) / 1e9).toList()),
        new Takeovers(run),
        end == null ? 0 : (end.sessionMillis() + 2 * end.tickMillis()) / 1e3 + 1,
        outage(granted),
        end == null ? -1 : end.children() + end.ephemerals() + end.openTransactions());
  }

  private static double outage(List<Call> granted) {
    Map<String, Long> last = new HashMap<>();
    long longest = 0;
    for (Call grant : granted) {
      Long before = last.put(grant.resource(), grant.end());
      long since = before == null ? grant.start() : Math.max(before, grant.start());
      longest = Math.max(longest, grant.end() - since);
    }
    return longest / 1e9;
  }

  double holdsPerSecond() {
    return seconds > 0 ? holds / seconds : 0;
  }
}
