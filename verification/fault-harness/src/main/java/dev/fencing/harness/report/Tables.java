package dev.fencing.harness.report;

import dev.fencing.harness.checker.Check;
import dev.fencing.harness.checker.Finding;
import java.util.List;
import java.util.Locale;

/** The tables of a report. */
final class Tables {

  private Tables() {}

  static List<Table> of(List<Result> results) {
    return of(results, results);
  }

  /** For the terminal: what each fault did is told of the product alone. */
  static List<Table> brief(List<Result> results) {
    return of(results, results.stream().filter(Result::isProduct).toList());
  }

  private static List<Table> of(List<Result> results, List<Result> byFault) {
    return List.of(verdicts(results), harm(results), times(results), faults(byFault)).stream()
        .filter(table -> !table.isEmpty())
        .toList();
  }

  private static Table verdicts(List<Result> results) {
    Table table =
        new Table(
            "What happened",
            4,
            "arm",
            "workload",
            "verdict",
            "failed",
            "seconds",
            "holds/s",
            "faults proved",
            "episodes",
            "overtaken",
            "stale tried",
            "refused",
            "unknown outcomes");
    for (Result result : results) {
      Measures measures = result.measures();
      int planned = result.faults().stream().mapToInt(FaultNumbers::planned).sum();
      int proved = result.faults().stream().mapToInt(FaultNumbers::proved).sum();
      table.add(
          result.arm(),
          result.workload(),
          verdict(result),
          failed(result),
          number(measures.seconds(), 0),
          number(measures.holdsPerSecond(), 1),
          of(proved, planned),
          number(measures.episodes().size()),
          number(measures.overtaken()),
          number(measures.stale().tried().size()),
          number(measures.stale().refused()),
          number(measures.unknown().size()));
    }
    return table;
  }

  private static Table harm(List<Result> results) {
    Table table =
        new Table(
            "What was damaged",
            2,
            "arm",
            "workload",
            "lost updates",
            "per 1,000 overtaken",
            "writes past a read",
            "acknowledged and lost",
            "false refusals",
            "live though overtaken",
            "leftovers");
    for (Result result : results) {
      long left = result.measures().leftovers();
      long lost = count(result, Check.C4);
      table.add(
          result.arm(),
          result.workload(),
          judged(result, Check.C4, number(lost)),
          judged(result, Check.C4, perThousand(lost, result.measures().overtaken())),
          judged(result, Check.C5, number(count(result, Check.C5))),
          judged(result, Check.C2, number(count(result, Check.C2))),
          number(count(result, Check.C8)),
          number(result.verdict().finding(Check.C9).noted()),
          left < 0 ? "?" : number(left));
    }
    return table;
  }

  private static Table times(List<Result> results) {
    Table table =
        new Table(
            "How long it took, seconds",
            2,
            "arm",
            "workload",
            "acquire p50 / p99",
            "take-over p50 / p99",
            "take-overs",
            "disturbed",
            "bound of p99",
            "longest outage");
    for (Result result : results) {
      Measures measures = result.measures();
      Spread takeover = measures.takeovers().spread();
      table.add(
          result.arm(),
          result.workload(),
          measures.acquire().text(),
          takeover.text(),
          number(takeover.count()),
          number(measures.takeovers().disturbed()),
          bound(measures, takeover),
          number(measures.outage(), 2));
    }
    return table;
  }

  private static String bound(Measures measures, Spread takeover) {
    return takeover.count() < Measures.ENOUGH_TAKEOVERS
        ? "too few"
        : number(measures.takeoverBound(), 2) + (measures.isLate() ? " MISSED" : " met");
  }

  private static Table faults(List<Result> results) {
    Table table =
        new Table(
            "By fault",
            3,
            "arm",
            "workload",
            "fault",
            "proved",
            "seconds",
            "episodes",
            "refused",
            "unknown outcomes",
            "lost updates",
            "past a read",
            "take-over p50 / p99");
    for (Result result : results) {
      for (FaultNumbers fault : result.faults()) {
        table.add(
            result.arm(),
            result.workload(),
            fault.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
            of(fault.proved(), fault.planned()),
            number(fault.seconds(), 1),
            number(fault.episodes()),
            number(fault.refused()),
            number(fault.unknown()),
            number(fault.lost()),
            number(fault.past()),
            fault.takeover().text());
      }
    }
    return table;
  }

  static String verdict(Result result) {
    String outcome = result.verdict().outcome().name().toLowerCase(Locale.ROOT);
    if (result.isProduct()) {
      return result.asItShould() ? outcome : outcome.toUpperCase(Locale.ROOT);
    }
    return result.asItShould() ? outcome + ", caught" : outcome + ", NOT CAUGHT";
  }

  static String failed(Result result) {
    String checks =
        String.join(
            " ", result.verdict().failed().stream().map(Finding::check).map(Check::name).toList());
    return result.isProduct() && result.measures().isLate()
        ? (checks + " take-over").strip()
        : checks;
  }

  /** With none the 95 % bound, by the rule of three. */
  static String perThousand(long lost, int overtaken) {
    if (overtaken == 0) {
      return "–";
    }
    return lost == 0
        ? "< %s".formatted(number(3_000.0 / overtaken, 1))
        : number(1_000.0 * lost / overtaken, 1);
  }

  private static long count(Result result, Check check) {
    return result.verdict().finding(check).count();
  }

  private static String judged(Result result, Check check, String found) {
    return result.verdict().finding(check).judged() == 0 ? "–" : found;
  }

  private static String of(int part, int whole) {
    return number(part) + " of " + number(whole);
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String number(double value, int places) {
    return String.format(Locale.ROOT, "%,." + places + "f", value);
  }
}
