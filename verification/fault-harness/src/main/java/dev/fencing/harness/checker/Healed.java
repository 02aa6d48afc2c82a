package dev.fencing.harness.checker;

import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.RunEnd;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** C11: when everything is healed, every worker gets each lock within 10 s. */
final class Healed implements Rule {

  private static final double BOUND = 10;

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C11);
    RunEnd end = run.run().end();
    if (end == null) {
      return found.finding("the run did not get to its end");
    }
    TreeSet<String> locks = new TreeSet<>(end.healedAcquire().keySet());
    TreeSet<Integer> workers = new TreeSet<>();
    end.healedAcquire().values().forEach(times -> workers.addAll(times.keySet()));
    for (Op op : run.run().history()) {
      workers.add(op.worker());
      if (op.resource() != null) {
        locks.add(op.resource());
      }
    }
    double longest = 0;
    for (String lock : locks) {
      Map<Integer, Double> times = end.healedAcquire().getOrDefault(lock, new TreeMap<>());
      for (int worker : workers) {
        found.judged();
        double seconds = times.getOrDefault(worker, Double.POSITIVE_INFINITY);
        if (Double.isInfinite(seconds)) {
          found.add("worker %d never got %s".formatted(worker, lock));
        } else {
          longest = Math.max(longest, seconds);
          if (seconds > BOUND) {
            found.add("worker %d got %s only after %s s".formatted(worker, lock, tenths(seconds)));
          }
        }
      }
    }
    return found.finding("longest %s s".formatted(tenths(longest)));
  }

  private static String tenths(double seconds) {
    return String.format(Locale.ROOT, "%.1f", seconds);
  }
}
