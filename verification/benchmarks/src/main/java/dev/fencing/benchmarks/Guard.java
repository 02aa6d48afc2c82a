package dev.fencing.benchmarks;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.jdbc.FencedResource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import javax.sql.DataSource;

/** Guard mode against the same work without a fence, on PostgreSQL. */
final class Guard {

  private static final int MANY = 16;
  private static final String RATE = "transactions/s";

  /** What one more round trip costs: a statement that does nothing. */
  private static final String NOTHING = "SELECT 1";

  /** What a check costs at the very least: the shared lock on the fence, and nothing around it. */
  private static final String BARE_LOCK =
      "SELECT generation, token, raise_id FROM fence WHERE resource = 'bench' FOR SHARE";

  /** A check that serialises the transactions of one holder. */
  private static final String UPDATE_CHECK =
      "UPDATE fence SET raised_at = current_timestamp WHERE resource = 'bench'";

  private Guard() {}

  static void transactions(ServerProcess server, Effort effort, Findings findings)
      throws Exception {
    transactions(1, 1, 0.75, effort, findings);
    transactions(MANY, 1, 0.70, effort, findings);
    transactions(1, 10, 0.88, effort, findings);
    transactions(MANY, 10, 0.88, effort, findings);
  }

  private static void transactions(
      int connections, int statements, double goal, Effort effort, Findings findings)
      throws Exception {
    try (Accounts accounts = new Accounts(connections)) {
      FencedResource ledger = accounts.fence().raise("bench", Accounts.nextToken());
      Duration time = effort.time();
      Rounds rounds =
          new Rounds()
              .with(
                  "plain",
                  () -> rate(connections, i -> () -> accounts.transaction(i, statements, ""), time))
              .with(
                  "empty",
                  () ->
                      rate(
                          connections,
                          i -> () -> accounts.transaction(i, statements, NOTHING),
                          time))
              .with(
                  "lock",
                  () ->
                      rate(
                          connections,
                          i -> () -> accounts.transaction(i, statements, BARE_LOCK),
                          time))
              .with(
                  "fenced",
                  () ->
                      rate(
                          connections,
                          i ->
                              () -> {
                                int written = ledger.inTransaction(c -> work(c, i, statements));
                                if (written != statements) {
                                  throw new IllegalStateException("wrote " + written);
                                }
                              },
                          time))
              .run(effort.warmUps(), effort.rounds());
      String kind =
          "%d statement%s, %d connection%s"
              .formatted(
                  statements, statements == 1 ? "" : "s", connections, connections == 1 ? "" : "s");
      findings.add(kind + ": plain", RATE, rounds.spread("plain"));
      findings.add(
          kind + ": fenced / plain", "×", rounds.ratio("fenced", "plain"), Goal.atLeast(goal));
      findings.add(kind + ": empty SELECT / plain", "×", rounds.ratio("empty", "plain"));
      findings.add(kind + ": bare FOR SHARE / plain", "×", rounds.ratio("lock", "plain"));
    }
  }

  private static int work(Connection connection, int account, int statements) throws SQLException {
    int written = 0;
    for (int i = 0; i < statements; i++) {
      written += Accounts.add(connection, account);
    }
    return written;
  }

  static void singleStatement(ServerProcess server, Effort effort, Findings findings)
      throws Exception {
    singleStatement(1, 0.90, effort, findings);
    singleStatement(MANY, 0.80, effort, findings);
  }

  private static void singleStatement(
      int connections, double goal, Effort effort, Findings findings) throws Exception {
    try (Accounts accounts = new Accounts(connections)) {
      FencedResource ledger = accounts.fence().raise("bench", Accounts.nextToken());
      Duration time = effort.time();
      Rounds rounds =
          new Rounds()
              .with("plain", () -> rate(connections, i -> () -> plain(accounts, i), time))
              .with(
                  "fenced",
                  () -> rate(connections, i -> () -> ledger.update(Accounts.ADD, 1L, i), time))
              .run(effort.warmUps(), effort.rounds());
      String kind = connections + (connections == 1 ? " connection" : " connections");
      findings.add(kind + ": plain, autocommit", "statements/s", rounds.spread("plain"));
      findings.add(
          kind + ": FencedResource.update / plain",
          "×",
          rounds.ratio("fenced", "plain"),
          Goal.atLeast(goal));
    }
  }

  static void plain(Accounts accounts, int account) throws Exception {
    try (Connection connection = accounts.pool().getConnection()) {
      Accounts.add(connection, account);
    }
  }

  static void sideBySide(ServerProcess server, Effort effort, Findings findings) throws Exception {
    sideBySide("PostgreSQL", new Accounts(MANY), effort, findings);
    Optional<MariaDbServer> mariaDb = MariaDbServer.shared();
    if (mariaDb.isPresent()) { // Not on every machine.
      DataSource dataSource = mariaDb.get().dataSource(MariaDbServer.Driver.MARIADB);
      sideBySide("MariaDB", new Accounts(dataSource, MANY), effort, findings);
    }
  }

  private static void sideBySide(
      String database, Accounts accounts, Effort effort, Findings findings) throws Exception {
    try (accounts) {
      FencedResource ledger = accounts.fence().raise("bench", Accounts.nextToken());
      Duration time = effort.time();
      Rounds rounds =
          new Rounds()
              .with("plain", () -> rate(MANY, i -> () -> accounts.transaction(i, 1, ""), time))
              .with(
                  "shared",
                  () -> rate(MANY, i -> () -> ledger.inTransaction(c -> work(c, i, 1)), time))
              .with(
                  "serial",
                  () -> rate(MANY, i -> () -> accounts.transaction(i, 1, UPDATE_CHECK), time))
              .run(effort.warmUps(), effort.rounds());
      findings.add(database + ": 16 transactions of one holder", RATE, rounds.spread("shared"));
      findings.add(
          database + ": ours / an UPDATE of the guard row as check",
          "×",
          rounds.ratio("shared", "serial"),
          Goal.atLeast(3));
      findings.add(database + ": ours / plain", "×", rounds.ratio("shared", "plain"));
    }
  }

  static void raises(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (Accounts accounts = new Accounts(1)) {
      accounts.execute("INSERT INTO account VALUES (1000, 0, 0)");
      Rounds rounds =
          new Rounds()
              .with("write", () -> Rate.of(() -> accounts.transaction(1000, 1, ""), effort.time()))
              .with(
                  "raise",
                  () ->
                      Rate.of(
                          () -> accounts.fence().raise("bench", Accounts.nextToken()),
                          effort.time()))
              .run(effort.warmUps(), effort.rounds());
      findings.add("raises", "raises/s", rounds.spread("raise"));
      findings.add("raise / a transaction of one write", "×", rounds.ratio("raise", "write"));
    }
  }

  /** What many checks leave behind in the guard table and in the MultiXact space. */
  static void growth(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (Accounts accounts = new Accounts(MANY)) {
      FencedResource ledger = accounts.fence().raise("growth", Accounts.nextToken());
      accounts.execute("VACUUM fence");
      long dead = deadTuples(accounts);
      long members = members(accounts);
      long pages = pages(accounts);
      int checks = 10 * effort.cycles();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        int share = checks / MANY;
        Thread thread =
            new Thread(
                () -> {
                  for (int n = 0; n < share; n++) {
                    ledger.inTransaction(c -> 0);
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      String after = " after " + checks + " checks on 16 connections";
      findings.add(
          "dead tuples of the guard table" + after,
          "tuples",
          Spread.of(new double[] {deadTuples(accounts) - dead}),
          Goal.atMost(0));
      findings.add(
          "MultiXact members for each check" + after,
          "members",
          Spread.of(new double[] {(double) (members(accounts) - members) / checks}),
          Goal.atMost(MANY));
      findings.add(
          "growth of the guard table" + after,
          "pages",
          Spread.of(new double[] {pages(accounts) - pages}),
          Goal.atMost(0));
    }
  }

  private static long pages(Accounts accounts) throws Exception {
    return accounts.number("SELECT pg_relation_size('fence') / 8192");
  }

  private static long deadTuples(Accounts accounts) throws Exception {
    accounts.execute("SELECT pg_stat_force_next_flush()");
    accounts.execute("CREATE EXTENSION IF NOT EXISTS pgstattuple");
    return accounts.number("SELECT dead_tuple_count FROM pgstattuple('fence')");
  }

  private static long members(Accounts accounts) throws Exception {
    accounts.execute("CHECKPOINT");
    return accounts.number("SELECT next_multi_offset FROM pg_control_checkpoint()");
  }

  static double rate(int connections, IntFunction<Rate.Step> step, Duration time) throws Exception {
    List<Rate.Step> steps = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      steps.add(step.apply(i));
    }
    return Rate.ofAll(steps, time);
  }
}
