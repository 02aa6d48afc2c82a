package dev.fencing.benchmarks;

import dev.fencing.fixtures.DelayingProxy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;

/** One thread that acquires and releases a lock which nobody else wants. */
final class Uncontended {

  private static final Duration ONE_WAY = Duration.ofMillis(1);
  private static final int ROUND_TRIPS = 100;
  private static final String PER_SECOND = "cycles/s";

  private Uncontended() {}

  /** Over a line on which each answer takes two milliseconds. */
  static void farAway(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      // A hundred cycles a second would stay in the interpreter, and that would be measured.
      contestants(client, "/warm-up", effort).run(effort.warmUps(), 0);
    }
    try (DelayingProxy proxy = DelayingProxy.to(server.port(), ONE_WAY);
        CuratorFramework client = Clients.connect(proxy.address())) {
      findings.add("round trip (sequential exists)", "ms", roundTrip(client, effort.rounds()));
      Rounds rounds = measure(contestants(client, "/far", effort), effort, findings);
      findings.add("ours / Curator", "×", rounds.ratio("ours", "Curator"), Goal.atLeast(1.35));
      findings.add(
          "ours / limit of two writes", "×", rounds.ratio("ours", "limit"), Goal.atLeast(0.9));
      findings.add(
          "ours with closeAsync / Curator",
          "×",
          rounds.ratio("closeAsync", "Curator"),
          Goal.atLeast(2.0));
    }
  }

  /** Straight to the server. */
  static void onLoopback(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      Rounds rounds = measure(contestants(client, "/near", effort), effort, findings);
      findings.add("ours / Curator", "×", rounds.ratio("ours", "Curator"), Goal.atLeast(1.0));
      findings.add("ours / limit of two writes", "×", rounds.ratio("ours", "limit"));
      findings.add("ours with closeAsync / Curator", "×", rounds.ratio("closeAsync", "Curator"));
    }
  }

  private static Rounds contestants(CuratorFramework client, String path, Effort effort)
      throws Exception {
    Duration time = effort.time();
    Cycle curator = Cycle.curator(client, Clients.lockPath(client, path + "/curator"));
    Cycle ours = Cycle.fenced(client, Clients.lockPath(client, path + "/ours"));
    Cycle async = Cycle.fencedAsync(client, Clients.lockPath(client, path + "/async"));
    String limit = Clients.lockPath(client, path + "/limit") + "/node-";
    Runnable nothing = () -> {};
    return new Rounds()
        .with("Curator", () -> Rate.of(() -> curator.run(nothing), time))
        .with("ours", () -> Rate.of(() -> ours.run(nothing), time))
        .with("closeAsync", () -> Rate.of(() -> async.run(nothing), time))
        .with("limit", () -> Rate.of(() -> twoWrites(client, limit), time));
  }

  private static Rounds measure(Rounds rounds, Effort effort, Findings findings) throws Exception {
    rounds.run(effort.warmUps(), effort.rounds());
    findings.add("Curator, acquire + release", PER_SECOND, rounds.spread("Curator"));
    findings.add("ours, acquire + release", PER_SECOND, rounds.spread("ours"));
    findings.add("ours, acquireLease + closeAsync", PER_SECOND, rounds.spread("closeAsync"));
    findings.add("limit: create, then delete", PER_SECOND, rounds.spread("limit"));
    return rounds;
  }

  private static void twoWrites(CuratorFramework client, String path) throws Exception {
    client
        .delete()
        .forPath(client.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(path));
  }

  private static Spread roundTrip(CuratorFramework client, int rounds) throws Exception {
    double[] millis = new double[rounds];
    for (int round = -1; round < rounds; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < ROUND_TRIPS; i++) {
        client.checkExists().forPath("/");
      }
      if (round >= 0) { // The first one warms up.
        millis[round] =
            (double) (System.nanoTime() - start) / TimeUnit.MILLISECONDS.toNanos(1) / ROUND_TRIPS;
      }
    }
    return Spread.of(millis);
  }
}
