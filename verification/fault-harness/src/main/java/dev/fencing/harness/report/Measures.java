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
import java.util.List;

/**
 * What was measured in a run.
 *
 * @param seconds how long the workers worked
 * @param holds how many times a lock was held
 * @param overtaken how many of these somebody else came into, see {@link Episodes#overtaken}
 * @param unknown writes of which nobody was told how they went
 * @param acquire from asking for a lock to holding it, of all that got it
 * @param takeovers from the fault that hit a holder until somebody else held the lock
 * @param takeoverBound what the 99th percentile of these should not exceed, seconds
 * @param outage see {@link Outage}, seconds
 * @param leftovers nodes and transactions that were left; -1 if the run did not get to its end
 */
record Measures(
    double seconds,
    int holds,
    List<Episode> episodes,
    int overtaken,
    StaleAttempts stale,
    List<Call> unknown,
    Spread acquire,
    Takeovers takeovers,
    double takeoverBound,
    double outage,
    long leftovers) {

  /** Of fewer the 99th percentile says nothing. */
  static final int ENOUGH_TAKEOVERS = 30;

  static Measures of(Indexed run) {
    RunEnd end = run.run().end();
    List<Op> history = run.run().history();
    double length =
        history.isEmpty()
            ? 0
            : (history.get(history.size() - 1).time() - history.get(0).time()) / 1e9;
    List<Episode> episodes = Episodes.of(run);
    return new Measures(
        end == null ? length : end.seconds(),
        run.holds().size(),
        episodes,
        Episodes.overtaken(episodes),
        StaleAttempts.of(run),
        run.calls(OpFunction.WRITE).stream().filter(call -> call.type() == OpType.INFO).toList(),
        Spread.of(
            run.calls(OpFunction.ACQUIRE).stream()
                .filter(Call::ok)
                .map(call -> (call.end() - call.start()) / 1e9)
                .toList()),
        new Takeovers(run),
        end == null ? 0 : (end.sessionMillis() + 2 * end.tickMillis()) / 1e3 + 1,
        Outage.longest(run),
        end == null ? -1 : end.children() + end.ephemerals() + end.openTransactions());
  }

  /** Tells whether there are enough take-overs, and they took longer than they should. */
  boolean isLate() {
    Spread spread = takeovers.spread();
    return spread.count() >= ENOUGH_TAKEOVERS && spread.p99() > takeoverBound;
  }

  double holdsPerSecond() {
    return seconds > 0 ? holds / seconds : 0;
  }
}
