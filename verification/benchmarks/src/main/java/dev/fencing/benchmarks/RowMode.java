package dev.fencing.benchmarks;

import dev.fencing.jdbc.FencedTable;
import java.time.Duration;
import java.util.Map;

/** Row mode against a plain UPDATE of the same rows, on PostgreSQL. */
final class RowMode {

  private RowMode() {}

  static void updates(ServerProcess server, Effort effort, Findings findings) throws Exception {
    updates(1, 0.92, effort, findings);
    updates(16, 0.88, effort, findings);
  }

  private static void updates(int connections, double goal, Effort effort, Findings findings)
      throws Exception {
    try (Accounts accounts = new Accounts(connections)) {
      FencedTable table = FencedTable.builder(accounts.pool(), "account").key("id").build();
      long token = Accounts.nextToken();
      Duration time = effort.time();
      Rounds rounds =
          new Rounds()
              .with(
                  "plain", () -> Guard.rate(connections, i -> () -> Guard.plain(accounts, i), time))
              .with(
                  "fenced",
                  () ->
                      Guard.rate(
                          connections,
                          i -> () -> table.overwrite(token, Map.of("balance", 5L), i),
                          time))
              .run(effort.warmUps(), effort.rounds());
      String kind = connections + (connections == 1 ? " connection" : " connections");
      findings.add(kind + ": plain UPDATE", "updates/s", rounds.spread("plain"));
      findings.add(
          kind + ": FencedTable.overwrite / plain",
          "×",
          rounds.ratio("fenced", "plain"),
          Goal.atLeast(goal));
    }
  }
}
