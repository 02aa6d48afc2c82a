package dev.fencing.examples.comparison.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The arms side by side. */
final class SimulatedTable {

  private SimulatedTable() {}

  /**
   * An arm.
   *
   * @param contended with pauses, all clients at once
   * @param alone one client without pauses, for the latency
   */
  record Line(Result contended, Result alone) {}

  static List<Line> of(Settings settings) {
    List<Line> lines = new ArrayList<>();
    for (Arm arm : Arm.values()) {
      lines.add(new Line(Simulation.of(arm, settings), Simulation.of(arm, settings.alone())));
    }
    return lines;
  }

  static String text(Settings settings, List<Line> lines) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%,d transactions of %d clients on %d accounts, seed %d; lease %d s; pauses of %d to %d"
                + " s in %.1f %% of them, %d longer than the lease; %.1f ms to any server and"
                + " back%n%n",
            settings.transactions(),
            settings.clients(),
            settings.accounts(),
            settings.seed(),
            settings.lease() / 1_000_000,
            settings.shortestPause() / 1_000_000,
            settings.longestPause() / 1_000_000,
            settings.pauseShare() * 100,
            lines.get(0).contended().outlasted(),
            settings.roundTrip() / 1e3));
    text.append(row("arm (virtual time)", "lost", "of landed", "412", "p99 alone", "published"));
    for (Line line : lines) {
      Result result = line.contended();
      text.append(
          row(
              result.arm().words(),
              String.format(Locale.ROOT, "%.2f %%", result.lostPercent()),
              String.format(Locale.ROOT, "%d of %,d", result.lost(), result.landed()),
              Integer.toString(result.refused()),
              String.format(Locale.ROOT, "%.1f ms", line.alone().p99() / 1e3),
              published(result.arm())));
    }
    lines.forEach(line -> text.append(remark(line.contended())));
    return text.toString();
  }

  private static String remark(Result result) {
    return switch (result.arm()) {
      case PLAIN -> "";
      case REDLOCK ->
          String.format(
              Locale.ROOT,
              "%nRedlock: a majority of servers does not help a client that sleeps; its leases end"
                  + " on all five.%n");
      case CHECKED ->
          result.lost() == 0
              ? ""
              : String.format(
                  Locale.ROOT,
                  "Checked at the write alone: tokens in perfect order, and %d lost. A late write"
                      + " landed between%nthe read and the write of the next holder, which then"
                      + " wrote over it.%n",
                  result.lost());
      case FENCED ->
          String.format(
              Locale.ROOT,
              "Fenced: %d late requests were refused, and %d updates lost.%n",
              result.refused(),
              result.lost());
    };
  }

  private static String row(
      String arm, String lost, String landed, String refused, String p99, String published) {
    return String.format(
        Locale.ROOT, "%-34s %9s %13s %6s %9s   %s%n", arm, lost, landed, refused, p99, published);
  }

  private static String published(Arm arm) {
    return switch (arm) {
      case PLAIN -> "14.8 %, 12 ms";
      case REDLOCK -> "4.2 %, 38 ms";
      case CHECKED, FENCED -> "0.00 %, 15 ms";
    };
  }
}
