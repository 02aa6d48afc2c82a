package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.stage.Ensemble;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** Faults that hit the servers. */
final class ServerFaults {

  private static final Duration ELECTION = Duration.ofSeconds(10);
  private static final Duration QUIET = Duration.ofSeconds(10);

  private final Scene scene;

  ServerFaults(Scene scene) {
    this.scene = scene;
  }

  Fault killLeader(Planned planned, long from) throws IOException, InterruptedException {
    Ensemble ensemble = scene.stage().ensemble();
    int leader = ensemble.leader();
    if (leader < 0) {
      return scene.missed(planned, from, "no server leads");
    }
    int status = ensemble.kill(leader);
    int next = awaitLeader(leader);
    Scene.sleep(planned.length());
    ensemble.startServer(leader);
    ensemble.awaitServing();
    return scene.done(
        planned,
        from,
        null,
        status == 137 && next >= 0,
        "server %d led, exit status %d; then server %d led".formatted(leader, status, next));
  }

  Fault freezeLeader(Planned planned, long from) throws IOException, InterruptedException {
    Ensemble ensemble = scene.stage().ensemble();
    int leader = ensemble.leader();
    if (leader < 0) {
      return scene.missed(planned, from, "no server leads");
    }
    long pid = ensemble.pid(leader);
    scene.freeze(pid);
    int next;
    try {
      next = awaitLeader(leader);
    } finally {
      scene.thaw(pid);
    }
    ensemble.awaitServing();
    return scene.done(
        planned,
        from,
        null,
        next >= 0,
        "server %d led, in state T until server %d led".formatted(leader, next));
  }

  private int awaitLeader(int old) throws InterruptedException {
    long start = System.nanoTime();
    while (Scene.since(start).compareTo(ELECTION) < 0) {
      List<String> modes = scene.stage().ensemble().modesWithout(old);
      int leader = modes.indexOf("leader");
      if (leader >= 0) {
        return leader;
      }
      Scene.sleep(Duration.ofMillis(50));
    }
    return -1;
  }

  Fault lostMajority(Planned planned, long from) throws IOException, InterruptedException {
    Ensemble ensemble = scene.stage().ensemble();
    int survivor = planned.variant() % ensemble.size();
    List<Integer> killed = new ArrayList<>();
    for (int i = 0; i < ensemble.size(); i++) {
      if (i != survivor) {
        ensemble.kill(i);
        killed.add(i);
      }
    }
    boolean silent = false;
    long start = System.nanoTime();
    while (!silent && Scene.since(start).compareTo(ELECTION) < 0) {
      silent = ensemble.modes().stream().allMatch("none"::equals);
      Scene.sleep(Duration.ofMillis(50));
    }
    Scene.sleep(planned.length());
    for (int i : killed) {
      ensemble.startServer(i);
    }
    ensemble.awaitServing();
    return scene.done(
        planned,
        from,
        null,
        silent,
        silent
            ? "servers %s killed, and server %d served no more".formatted(killed, survivor)
            : "server %d went on serving".formatted(survivor));
  }

  Fault terminateBackend(Planned planned, Arrival victim, long from)
      throws IOException, InterruptedException, SQLException {
    scene
        .stage()
        .database()
        .query("SELECT pg_terminate_backend(%d, 2000)".formatted(victim.backend()));
    victim.go();
    String said =
        "[%d] FATAL:  terminating connection due to administrator command"
            .formatted(victim.backend());
    boolean logged = scene.databaseSays(said);
    return scene.done(
        planned,
        from,
        victim,
        logged,
        (logged ? "server log: " : "not in the server log: ") + said);
  }

  Fault restartDatabase(Planned planned, long from) throws IOException, InterruptedException {
    String said = "automatic recovery in progress";
    long before = scene.databaseHasSaid(said);
    scene.stage().database().restart();
    boolean logged = scene.databaseSays(said, before);
    return scene.done(
        planned, from, null, logged, (logged ? "server log: " : "not in the server log: ") + said);
  }

  /** Deletes the parent of the lock nodes at a time at which nobody wants the lock. */
  Fault removeParent(Planned planned, Arrival first, long from)
      throws IOException, InterruptedException {
    scene.marks().spare(first.worker());
    Set<Integer> idle = new HashSet<>(Set.of(first.worker()));
    List<Marks.Trap> traps = new ArrayList<>();
    try {
      long start = System.nanoTime();
      for (int worker = 0; worker < scene.stage().workers().count(); worker++) {
        int number = worker;
        if (number != first.worker()) {
          traps.add(
              scene
                  .marks()
                  .trap(
                      ProcessFaults.at(planned.lane(), Mark.IDLE)
                          .and(arrival -> arrival.worker() == number)));
        }
      }
      for (Marks.Trap trap : traps) {
        Arrival arrival = trap.await(QUIET.minus(Scene.since(start)));
        if (arrival != null) {
          idle.add(arrival.worker());
        }
      }
      if (idle.size() < scene.stage().workers().count()) {
        return scene.done(planned, from, null, false, "only " + idle + " were idle");
      }
      String path = scene.path(planned.lane());
      delete(path);
      return scene.done(planned, from, null, true, path + " deleted while all were idle");
    } catch (KeeperException e) {
      return scene.done(planned, from, null, false, e.toString());
    } finally {
      traps.forEach(Marks.Trap::close);
      first.go();
    }
  }

  @SuppressWarnings("try") // An interrupt while it closes is one of the whole.
  private void delete(String path) throws IOException, InterruptedException, KeeperException {
    try (ZooKeeper client =
        new ZooKeeper(scene.stage().ensemble().directly(), 10_000, event -> {})) {
      client.delete(path, -1);
    }
  }
}
