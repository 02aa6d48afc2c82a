package dev.fencing.harness.report;

import dev.fencing.harness.checker.Call;
import dev.fencing.harness.checker.Check;
import dev.fencing.harness.checker.Episodes.Episode;
import dev.fencing.harness.checker.Indexed;
import dev.fencing.harness.checker.Verdict;
import dev.fencing.harness.checker.Violation;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.RunEnd;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What happened under the faults of one kind: from the beginning of each until two sessions after
 * its end, at the lock that it hit if that is known. What falls into several faults counts for
 * each.
 *
 * @param seconds how long they lasted together
 * @param refused stale attempts that were refused
 * @param unknown writes of which nobody was told how they went
 * @param lost lost updates, of the first ones that the check kept
 * @param past writes past a read, likewise
 */
record FaultNumbers(
    FaultKind kind,
    int planned,
    int proved,
    double seconds,
    int episodes,
    int refused,
    int unknown,
    int lost,
    int past,
    Spread takeover) {

  private record Event(long time, String lock) {}

  static List<FaultNumbers> of(Indexed run, Verdict verdict, Measures measures) {
    RunEnd end = run.run().end();
    long grace = end == null ? 0 : 2_000_000 * end.sessionMillis();
    Map<FaultKind, List<Fault>> kinds = new EnumMap<>(FaultKind.class);
    for (Fault fault : run.run().faults()) {
      kinds.computeIfAbsent(fault.kind(), kind -> new ArrayList<>()).add(fault);
    }
    List<Event> episodes = new ArrayList<>();
    for (Episode episode : measures.episodes()) {
      episodes.add(new Event(episode.from(), episode.second().resource()));
    }
    List<Event> refused = new ArrayList<>();
    for (Call call : measures.stale().tried()) {
      if (call.isStale()) {
        refused.add(new Event(call.end(), call.resource()));
      }
    }
    List<Event> unknown = new ArrayList<>();
    for (Call call : measures.unknown()) {
      unknown.add(new Event(call.start(), call.resource()));
    }
    List<Event> lost = violations(run, verdict, Check.C4);
    List<Event> past = violations(run, verdict, Check.C5);
    List<FaultNumbers> numbers = new ArrayList<>();
    kinds.forEach(
        (kind, faults) ->
            numbers.add(
                new FaultNumbers(
                    kind,
                    faults.size(),
                    (int) faults.stream().filter(Fault::proved).count(),
                    faults.stream().mapToLong(fault -> fault.to() - fault.from()).sum() / 1e9,
                    count(faults, grace, episodes),
                    count(faults, grace, refused),
                    count(faults, grace, unknown),
                    count(faults, grace, lost),
                    count(faults, grace, past),
                    Spread.of(
                        measures.takeovers().times().stream()
                            .filter(takeover -> takeover.fault().kind() == kind)
                            .map(Takeovers.Takeover::seconds)
                            .toList()))));
    return numbers;
  }

  private static List<Event> violations(Indexed run, Verdict verdict, Check check) {
    List<Event> events = new ArrayList<>();
    for (Violation violation : verdict.finding(check).violations()) {
      if (!violation.indices().isEmpty()) {
        Op last = run.run().history().get(violation.indices().get(violation.indices().size() - 1));
        events.add(new Event(last.time(), last.resource() == null ? "" : last.resource()));
      }
    }
    return events;
  }

  private static int count(List<Fault> faults, long grace, List<Event> events) {
    int count = 0;
    for (Event event : events) {
      for (Fault fault : faults) {
        if (event.time() >= fault.from()
            && event.time() <= fault.to() + grace
            && (fault.resource() == null || fault.resource().equals(event.lock()))) {
          count++;
          break;
        }
      }
    }
    return count;
  }
}
