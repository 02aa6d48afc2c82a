package dev.fencing.harness.nemesis;

import dev.fencing.fixtures.TcpProxy;
import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Faults on the way between a worker and the servers. */
final class NetworkFaults {

  private static final Duration STRIKE = Duration.ofSeconds(3);
  private static final Duration NEXT = Duration.ofMillis(3_500);
  private static final Duration READ_AGAIN = Duration.ofMillis(1_200);
  private static final Duration LANDED = Duration.ofMillis(60);
  private static final String COMMIT = "COMMIT";

  private final Scene scene;

  NetworkFaults(Scene scene) {
    this.scene = scene;
  }

  /** Silence, silence one way only, or RST. */
  Fault cut(Planned planned, Arrival victim, long from) throws InterruptedException {
    List<TcpProxy> proxies =
        planned.kind() == FaultKind.CUT_ZOOKEEPER
            ? scene.links(victim).zookeeper()
            : List.of(scene.links(victim).database().get(victim.lock()));
    long before = held(proxies);
    String how;
    int reset = 0;
    switch (planned.variant() % 4) {
      case 0 -> {
        how = "silent hold";
        proxies.forEach(TcpProxy::silence);
      }
      case 1 -> {
        how = "requests held";
        proxies.forEach(TcpProxy::silenceRequests);
      }
      case 2 -> {
        how = "replies held";
        proxies.forEach(TcpProxy::silenceReplies);
      }
      default -> {
        how = "RST";
        reset = proxies.stream().mapToInt(TcpProxy::cut).sum();
      }
    }
    victim.go();
    if (reset == 0) {
      Scene.sleep(planned.length());
      proxies.forEach(TcpProxy::restore);
    }
    long held = held(proxies) - before;
    return scene.done(
        planned,
        from,
        victim,
        reset + held > 0,
        reset > 0
            ? "proxy log: RST to %d connections".formatted(reset)
            : "proxy log: %s for %s, %d packets waited"
                .formatted(how, Scene.seconds(planned.length()), held));
  }

  private static long held(List<TcpProxy> proxies) {
    return proxies.stream().mapToLong(TcpProxy::held).sum();
  }

  /** Throws the answer to a create away, then resets the connection. */
  Fault lostCreateReply(Planned planned, Arrival victim, long from) throws InterruptedException {
    List<TcpProxy> proxies = scene.links(victim).zookeeper();
    List<dev.fencing.fixtures.Fault> armed = new ArrayList<>();
    for (TcpProxy proxy : proxies) {
      armed.add(proxy.dropReplyTo("create-by-" + victim.worker()));
    }
    victim.go();
    long start = System.nanoTime();
    boolean struck = false;
    while (!struck && Scene.since(start).compareTo(STRIKE) < 0) {
      struck = armed.stream().anyMatch(fault -> struck(fault, Duration.ofMillis(10)));
    }
    for (int i = 0; i < proxies.size(); i++) {
      proxies.get(i).disarm(armed.get(i));
    }
    return scene.done(
        planned,
        from,
        victim,
        struck,
        struck ? "proxy log: an answer to a create dropped, then RST" : "no create came by");
  }

  private static boolean struck(dev.fencing.fixtures.Fault fault, Duration bound) {
    try {
      fault.await(bound);
      return true;
    } catch (AssertionError notYet) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Holds a COMMIT back. Either the client is reset, and may go on under the same lock, until it
   * has read again; or it is frozen, until the next holder has read.
   */
  Fault writeInFlight(Planned planned, Arrival victim, long from)
      throws IOException, InterruptedException {
    boolean frozen = planned.until() != Until.TIME && planned.variant() % 2 == 0;
    TcpProxy proxy = scene.links(victim).database().get(victim.lock());
    dev.fencing.fixtures.Fault commit = proxy.hold(COMMIT);
    victim.go();
    if (!struck(commit, STRIKE)) {
      proxy.disarm(commit);
      return scene.done(planned, from, victim, false, "no COMMIT came by");
    }
    long start = System.nanoTime();
    if (frozen) {
      scene.freeze(victim.pid());
    }
    try (Marks.Trap reader = reader(planned, victim, frozen)) {
      if (!frozen) {
        commit.cutClient();
      }
      Arrival read = reader.await(frozen ? NEXT : READ_AGAIN);
      commit.release();
      Duration held = Scene.since(start);
      Scene.sleep(LANDED);
      return scene.done(
          planned,
          from,
          victim,
          true,
          "proxy log: a COMMIT held for %s, %s; let go when %s"
              .formatted(
                  Scene.seconds(held),
                  frozen ? "its client frozen" : "its client reset",
                  reader(read, frozen)));
    } finally {
      scene.thaw(victim.pid());
    }
  }

  private Marks.Trap reader(Planned planned, Arrival victim, boolean next) {
    return next
        ? scene
            .marks()
            .trapBystander(
                ProcessFaults.at(planned.lane(), Mark.AFTER_READ)
                    .and(arrival -> arrival.worker() != victim.worker()))
        : scene
            .marks()
            .trap(arrival -> arrival.mark() == Mark.AFTER_READ && arrival.isSameThread(victim));
  }

  private static String reader(@Nullable Arrival read, boolean next) {
    if (read == null) {
      return "nobody could read within the bound";
    }
    return (next ? "the next holder, worker " + read.worker() + "," : "it") + " had read";
  }

  /** The old holder, its session gone, goes on with sixteen connections; the next one raises. */
  Fault liveZombie(Planned planned, Arrival victim, long from) throws InterruptedException {
    List<TcpProxy> proxies = scene.links(victim).zookeeper();
    // Aimed at, so that no other fault stops it while it raises.
    try (Marks.Trap trap =
        scene
            .marks()
            .aim(
                ProcessFaults.at(planned.lane(), Mark.AFTER_ACQUIRE)
                    .and(arrival -> arrival.worker() != victim.worker()))) {
      proxies.forEach(TcpProxy::silence);
      victim.haunt();
      Arrival next = trap.await(NEXT);
      if (next == null) {
        return scene.done(planned, from, victim, false, "nobody else got the lock");
      }
      long start = System.nanoTime();
      try (Marks.Trap raised =
          scene
              .marks()
              .trap(arrival -> arrival.mark() == Mark.AFTER_RAISE && arrival.isSameThread(next))) {
        next.go();
        boolean through = raised.await(NEXT) != null;
        long waited = Scene.since(start).toMillis();
        return judgeZombie(planned, from, victim, through, waited);
      }
    } finally {
      proxies.forEach(TcpProxy::restore);
    }
  }

  private Fault judgeZombie(
      Planned planned, long from, Arrival victim, boolean through, long waited)
      throws InterruptedException {
    String line = scene.stage().workers().zombie(victim.worker(), Duration.ofSeconds(20));
    if (line == null) {
      return scene.done(planned, from, victim, false, "the zombie told nothing");
    }
    String[] words = line.split(" ", -1);
    long count = Long.parseLong(words[2]);
    long longest = Long.parseLong(words[3]);
    return scene.done(
        planned,
        from,
        victim,
        through && count > 0 && waited <= longest + 1_000,
        "16 connections, %d transactions, the longest %d ms; the raise took %s"
            .formatted(count, longest, through ? waited + " ms" : "too long"));
  }
}
