package dev.fencing.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;

/** Many threads that want one lock. */
final class Contended {

  private static final int[] WAITERS = {8, 32, 128, 512};

  /** With 512 its herd would take longer than all else together. */
  private static final int[] CURATOR_WAITERS = {8, 32, 128};

  private static final int CLIENTS = 8;
  private static final String PER_SECOND = "handoffs/s";
  private static final String DELETES = "sequential deletes";

  private Contended() {}

  /** All threads of one client on one mutex object. */
  static void oneObject(ServerProcess server, Effort effort, Findings findings) throws Exception {
    Rounds rounds = new Rounds();
    for (int waiters : CURATOR_WAITERS) {
      rounds.with("Curator " + waiters, () -> handoffs(server, effort, Cycle::curator, 1, waiters));
    }
    for (int waiters : WAITERS) {
      rounds.with("ours " + waiters, () -> handoffs(server, effort, Cycle::fenced, 1, waiters));
    }
    rounds.with(DELETES, () -> deletes(server, effort));
    rounds.run(effort.warmUps(), effort.rounds());

    for (int waiters : CURATOR_WAITERS) {
      Spread rate = rounds.spread("Curator " + waiters);
      findings.add("Curator, %d threads".formatted(waiters), PER_SECOND, rate);
      findings.addPoint("Curator", waiters, rate.median());
    }
    for (int waiters : WAITERS) {
      Spread rate = rounds.spread("ours " + waiters);
      findings.add("ours, %d threads".formatted(waiters), PER_SECOND, rate);
      findings.addPoint("ours", waiters, rate.median());
    }
    findings.add(DELETES, "deletes/s", rounds.spread(DELETES));
    findings.add(
        "ours / Curator, 128 threads",
        "×",
        rounds.ratio("ours 128", "Curator 128"),
        Goal.atLeast(10));
    findings.add(
        "ours, 512 / 8 threads", "×", rounds.ratio("ours 512", "ours 8"), Goal.atLeast(0.6));
    findings.add(
        "ours / sequential deletes, 128 threads",
        "×",
        rounds.ratio("ours 128", DELETES),
        Goal.aimAt(0.75));
  }

  /** Several clients, each with a session and a mutex object of its own. */
  static void clients(ServerProcess server, Effort effort, Findings findings) throws Exception {
    Rounds rounds =
        new Rounds()
            .with("Curator 4", () -> handoffs(server, effort, Cycle::curator, CLIENTS, 4))
            .with("ours 4", () -> handoffs(server, effort, Cycle::fenced, CLIENTS, 4))
            .with("Curator 1", () -> handoffs(server, effort, Cycle::curator, CLIENTS, 1))
            .with("ours 1", () -> handoffs(server, effort, Cycle::fenced, CLIENTS, 1))
            .with(DELETES, () -> deletes(server, effort))
            .run(effort.warmUps(), effort.rounds());
    findings.add("Curator, 8 clients × 4 threads", PER_SECOND, rounds.spread("Curator 4"));
    findings.add("ours, 8 clients × 4 threads", PER_SECOND, rounds.spread("ours 4"));
    findings.add("Curator, 8 clients × 1 thread", PER_SECOND, rounds.spread("Curator 1"));
    findings.add("ours, 8 clients × 1 thread", PER_SECOND, rounds.spread("ours 1"));
    findings.add(
        "ours / Curator, 8 × 4", "×", rounds.ratio("ours 4", "Curator 4"), Goal.atLeast(1.4));
    findings.add(
        "ours / Curator, 8 × 1", "×", rounds.ratio("ours 1", "Curator 1"), Goal.atLeast(1.1));
    findings.add("ours / sequential deletes, 8 × 4", "×", rounds.ratio("ours 4", DELETES));
    findings.add("ours / sequential deletes, 8 × 1", "×", rounds.ratio("ours 1", DELETES));
  }

  private static double handoffs(
      ServerProcess server, Effort effort, Cycle.Maker maker, int clientCount, int threadsEach)
      throws Exception {
    try (Clients clients = Clients.connect(server.address(), clientCount)) {
      String path = Clients.lockPath(clients.all().get(0), "/contended");
      List<Cycle> cycles = new ArrayList<>();
      for (CuratorFramework client : clients.all()) {
        cycles.addAll(Collections.nCopies(threadsEach, maker.on(client, path)));
      }
      return Rate.ofHandoffs(cycles, effort.time());
    }
  }

  /** The most that a lock whose every handoff takes one delete could do. */
  static double deletes(ServerProcess server, Effort effort) throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      String parent = Clients.lockPath(client, "/deletes");
      List<String> nodes = new ArrayList<>();
      for (int i = 0; i < effort.deletes(); i++) {
        nodes.add(parent + "/" + i);
        client.create().inBackground().forPath(nodes.get(i));
      }
      client.checkExists().forPath(parent); // Behind the last of them.
      long start = System.nanoTime();
      for (String node : nodes) {
        client.delete().forPath(node);
      }
      return Rate.perSecond(nodes.size(), System.nanoTime() - start);
    }
  }
}
