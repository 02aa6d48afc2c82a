package dev.fencing.harness.checker;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** When somebody believed to hold a lock, from the history alone. */
final class Holds {

  private Holds() {}

  static List<Hold> of(Indexed run) {
    Map<String, Call> first = new LinkedHashMap<>();
    Map<String, NavigableMap<Long, Call>> asked = new HashMap<>();
    for (Call acquire : run.calls(OpFunction.ACQUIRE)) {
      asked.computeIfAbsent(place(acquire), place -> new TreeMap<>()).put(acquire.start(), acquire);
      String name = acquire.hold();
      if (acquire.ok() && name != null && acquire.token() != null) {
        first.putIfAbsent(name, acquire);
      }
    }
    Map<String, Call> releases = new HashMap<>();
    for (Call release : run.calls(OpFunction.RELEASE)) {
      // A re-entry is given back first; the last release ends the hold.
      String name = release.hold();
      if (name != null) {
        releases.put(name, release);
      }
    }
    Map<Integer, NavigableMap<Long, Fault>> kills = kills(run.run().faults());
    List<Op> history = run.run().history();
    long over = history.isEmpty() ? 0 : history.get(history.size() - 1).time();
    List<Hold> holds = new ArrayList<>();
    first.forEach(
        (name, acquire) -> {
          Call release = releases.get(name);
          long to = release == null ? over : release.start();
          Map.Entry<Long, Fault> kill =
              kills
                  .getOrDefault(acquire.invoke().worker(), new TreeMap<>())
                  .higherEntry(acquire.end());
          if (kill != null) {
            to = Math.min(to, kill.getKey());
          }
          Call again = anew(asked.getOrDefault(place(acquire), new TreeMap<>()), acquire, name);
          if (again != null) {
            to = Math.min(to, again.start());
          }
          holds.add(new Hold(name, acquire, release, to));
        });
    holds.sort(Comparator.comparingLong(Hold::from));
    return holds;
  }

  private static @Nullable Call anew(NavigableMap<Long, Call> asked, Call acquire, String name) {
    for (Call next : asked.tailMap(acquire.end(), false).values()) {
      if (!name.equals(next.hold())) {
        return next;
      }
    }
    return null;
  }

  private static String place(Call acquire) {
    return acquire.invoke().worker() + " " + acquire.resource();
  }

  private static Map<Integer, NavigableMap<Long, Fault>> kills(List<Fault> faults) {
    Map<Integer, NavigableMap<Long, Fault>> kills = new HashMap<>();
    for (Fault fault : faults) {
      if (fault.kind() == FaultKind.KILL_HOLDER && fault.worker() != null && fault.proved()) {
        kills.computeIfAbsent(fault.worker(), worker -> new TreeMap<>()).put(fault.from(), fault);
      }
    }
    return kills;
  }
}
