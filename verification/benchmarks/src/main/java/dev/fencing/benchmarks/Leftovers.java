package dev.fencing.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import org.apache.curator.framework.CuratorFramework;

/** What is left of many acquisitions after they have been released. */
final class Leftovers {

  private static final int WARM_UP = 500;
  private static final double MIB = 1024 * 1024;
  private static final Duration SETTLED = Duration.ofSeconds(30);

  /** A client's own queues and buffers breathe; 10,000 leaks of 50 bytes would be as much. */
  private static final double HEAP_TOLERANCE_MIB = 0.5;

  private Leftovers() {}

  static void run(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      Cycle one = Cycle.fenced(client, Clients.lockPath(client, "/left/one"));
      String many = Clients.lockPath(client, "/left/many");
      Rate.Step onOnePath = () -> one.run(() -> {});
      int[] next = {0};
      Rate.Step onManyPaths = () -> Cycle.fenced(client, many + "/" + next[0]++).run(() -> {});
      measure(server, "one path", onOnePath, effort.cycles(), findings);
      measure(server, "as many paths", onManyPaths, effort.cycles(), findings);
    }
  }

  private static void measure(
      ServerProcess server, String where, Rate.Step step, int cycles, Findings findings)
      throws Exception {
    repeat(step, WARM_UP);
    server.sweep();
    ServerCounts before = server.settle(counts -> true, SETTLED);
    double heapBefore = usedHeapMib();
    repeat(step, cycles);
    server.sweep();
    ServerCounts after =
        server.settle(
            counts -> counts.znodes() <= before.znodes() && counts.watches() <= before.watches(),
            SETTLED);
    double heapAfter = usedHeapMib();

    String name = String.format(Locale.ROOT, "%,d cycles on %s: ", cycles, where);
    findings.add(name + "watches before", "", Spread.of(before.watches()));
    findings.add(
        name + "watches after", "", Spread.of(after.watches()), Goal.exactly(before.watches()));
    findings.add(name + "znodes before", "", Spread.of(before.znodes()));
    findings.add(
        name + "znodes after", "", Spread.of(after.znodes()), Goal.exactly(before.znodes()));
    findings.add(name + "client heap before", "MiB", Spread.of(heapBefore));
    findings.add(
        name + "client heap after",
        "MiB",
        Spread.of(heapAfter),
        Goal.atMost(heapBefore + HEAP_TOLERANCE_MIB));
  }

  private static void repeat(Rate.Step step, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      step.run();
    }
  }

  /** The least of several collections: soft and weak references take more than one. */
  private static double usedHeapMib() {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      double used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      least = Math.min(least, used / MIB);
    }
    return least;
  }
}
