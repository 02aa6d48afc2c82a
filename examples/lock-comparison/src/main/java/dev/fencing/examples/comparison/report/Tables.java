package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Numbers.count;
import static dev.fencing.examples.comparison.report.Numbers.number;
import static dev.fencing.examples.comparison.report.Numbers.pair;
import static dev.fencing.examples.comparison.report.Numbers.percent;

import dev.fencing.examples.comparison.history.Outcome;
import java.util.List;

/** The numbers of all arms in rows. */
final class Tables {

  private Tables() {}

  static Table damage(List<Figures> arms) {
    Table table =
        Table.withHeader(
            "arm",
            "lost\nupdates",
            "lost of\nlanded",
            "stale writes\ntried/refused",
            "two holders\nat once",
            "pauses, longer\nthan lease",
            "no lock/gave up\n/failed/unknown");
    for (Figures arm : arms) {
      table.add(
          arm.arm(),
          percent(arm.lostPercent()),
          count(arm.lost()) + " of " + count(arm.landed()),
          count(arm.staleTried()) + " / " + count(arm.refused()),
          count(arm.overlaps()),
          count(arm.pauses())
              + ", "
              + (arm.result().leaseMillis() == 0 ? "no lease" : count(arm.pausesLongerThanLease())),
          "%s/%s/%s/%s"
              .formatted(
                  count(arm.count(Outcome.NOT_LOCKED)),
                  count(arm.count(Outcome.LOST_LOCK)),
                  count(arm.count(Outcome.FAILED)),
                  count(arm.count(Outcome.UNKNOWN))));
    }
    return table;
  }

  static Table speed(List<Figures> arms) {
    Table table =
        Table.withHeader(
            "arm, ms",
            "uncontended\np50 / p99",
            "behind proxy\np50 / p99",
            "contended\np50 / p99",
            "of which wait\np50 / p99",
            "writes/s\ncontended");
    for (Figures arm : arms) {
      table.add(
          arm.arm(),
          pair(arm.uncontended().p50(), arm.uncontended().p99()),
          pair(arm.delayed().p50(), arm.delayed().p99()),
          pair(arm.contended().p50(), arm.contended().p99()),
          pair(arm.waited().p50(), arm.waited().p99()),
          number(arm.throughput()));
    }
    return table;
  }

  /** Where the time goes, without contention. */
  static Table profile(List<Figures> arms) {
    Table table = Table.withHeader("arm, median ms", "acquire", "read", "write", "release");
    for (Figures arm : arms) {
      Phases phases = arm.profile();
      table.add(
          arm.arm(),
          number(phases.acquire()),
          number(phases.read()),
          number(phases.write()),
          number(phases.release()));
    }
    return table;
  }
}
