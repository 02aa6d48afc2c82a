package dev.fencing.harness.report;

import dev.fencing.harness.checker.Call;
import dev.fencing.harness.checker.Indexed;
import dev.fencing.harness.history.OpFunction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The longest time in which somebody waited for a lock and nobody got it: from a grant, or from
 * when somebody first asked after it, until the next grant, or until the last one has given up
 * waiting.
 *
 * <p>Who gives up and asks again has waited from the first time on. Who was killed while it waited
 * does not count.
 */
final class Outage {

  private static final Comparator<Call> BY_END = Comparator.comparingLong(Call::end);

  private Outage() {}

  /** Returns it in seconds; 0 if nobody waited. */
  static double longest(Indexed run) {
    Map<String, List<Call>> asked = new TreeMap<>();
    for (Call call : run.calls(OpFunction.ACQUIRE)) {
      if (call.end() < Long.MAX_VALUE) {
        asked.computeIfAbsent(call.resource(), lock -> new ArrayList<>()).add(call);
      }
    }
    return asked.values().stream().mapToLong(Outage::longest).max().orElse(0) / 1e9;
  }

  /** Goes through the ends in their order, with those who wait at that time. */
  private static long longest(List<Call> asked) {
    long longest = 0;
    long granted = Long.MIN_VALUE;
    int next = 0;
    long first = Long.MAX_VALUE; // When somebody has first waited since the last grant.
    List<Call> waiting = new ArrayList<>();
    for (Call call : asked.stream().sorted(BY_END).toList()) {
      for (; next < asked.size() && asked.get(next).start() <= call.end(); next++) {
        waiting.add(asked.get(next));
        first = Math.min(first, asked.get(next).start());
      }
      longest = Math.max(longest, call.end() - Math.max(first, granted));
      waiting.remove(call);
      if (call.ok()) {
        granted = call.end();
        first = waiting.stream().mapToLong(Call::start).min().orElse(Long.MAX_VALUE);
      }
    }
    return longest;
  }
}
