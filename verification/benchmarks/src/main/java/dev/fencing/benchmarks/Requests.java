package dev.fencing.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.apache.curator.framework.CuratorFramework;

/** How many requests the server gets. */
final class Requests {

  private static final int CYCLES = 200;
  private static final int[] WAITERS = {50, 100, 200};
  private static final Duration SETTLED = Duration.ofSeconds(60);

  private Requests() {}

  /** For one acquire and release of a lock that nobody else wants, its parent present. */
  static void uncontended(ServerProcess server, Effort effort, Findings findings) throws Exception {
    double curator = uncontended(server, "Curator", Cycle::curator, findings);
    findings.add("Curator, all", "requests/cycle", Spread.of(curator));
    double ours = uncontended(server, "ours", Cycle::fenced, findings);
    findings.add("ours, all", "requests/cycle", Spread.of(ours), Goal.exactly(3));
  }

  private static double uncontended(
      ServerProcess server, String name, Cycle.Maker maker, Findings findings) throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      Cycle cycle = maker.on(client, Clients.lockPath(client, "/requests/" + name));
      Runnable nothing = () -> {};
      cycle.run(nothing);
      ServerCounts before = server.settle(counts -> true, SETTLED);
      for (int i = 0; i < CYCLES; i++) {
        cycle.run(nothing);
      }
      Map<String, Long> requests = server.settle(counts -> true, SETTLED).requestsSince(before);
      for (Map.Entry<String, Long> kind : requests.entrySet()) {
        findings.add(
            name + ", " + kind.getKey(),
            "requests/cycle",
            Spread.of((double) kind.getValue() / CYCLES));
      }
      return (double) requests.values().stream().mapToLong(Long::longValue).sum() / CYCLES;
    }
  }

  /** For waiters on one mutex object that queue behind a holder and are then served in turn. */
  static void ofWaiters(ServerProcess server, Effort effort, Findings findings) throws Exception {
    int most = WAITERS.length - 1;
    double[] ours = new double[WAITERS.length];
    for (int i = 0; i < WAITERS.length; i++) {
      ours[i] = ofWaiters(server, Cycle::fenced, "/waiters/ours", WAITERS[i]);
      if (i < most) {
        findings.add("ours, %d waiters".formatted(WAITERS[i]), "requests", Spread.of(ours[i]));
      }
    }
    double curator = ofWaiters(server, Cycle::curator, "/waiters/curator", WAITERS[most]);
    findings.add("Curator, %d waiters".formatted(WAITERS[most]), "requests", Spread.of(curator));
    findings.add(
        "ours, %d waiters".formatted(WAITERS[most]),
        "requests",
        Spread.of(ours[most]),
        Goal.atMost(1_400));
    findings.add(
        "ours, requests a waiter, %d / %d waiters".formatted(WAITERS[most], WAITERS[0]),
        "×",
        Spread.of(ours[most] / WAITERS[most] / (ours[0] / WAITERS[0])),
        Goal.atMost(1.2));
  }

  private static double ofWaiters(ServerProcess server, Cycle.Maker maker, String path, int waiters)
      throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      Cycle cycle = maker.on(client, Clients.lockPath(client, path));
      CountDownLatch held = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      FutureTask<Void> holder =
          start(
              cycle,
              () -> {
                held.countDown();
                awaitRelease(release);
              });
      held.await();
      ServerCounts before = server.settle(counts -> true, SETTLED);
      List<FutureTask<Void>> queue = new ArrayList<>();
      for (int i = 0; i < waiters; i++) {
        queue.add(start(cycle, () -> {}));
      }
      ServerCounts queued =
          server.settle(counts -> counts.ephemerals() == before.ephemerals() + waiters, SETTLED);
      if (queued.ephemerals() != before.ephemerals() + waiters) {
        throw new IllegalStateException(
            "%d of %d waiters have a lock node after %s"
                .formatted(queued.ephemerals() - before.ephemerals(), waiters, SETTLED));
      }
      release.countDown();
      holder.get();
      for (FutureTask<Void> waiter : queue) {
        waiter.get();
      }
      return server.settle(counts -> true, SETTLED).total() - before.total();
    }
  }

  private static FutureTask<Void> start(Cycle cycle, Runnable underLock) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              cycle.run(underLock);
              return null;
            });
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private static void awaitRelease(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the holder", e);
    }
  }
}
