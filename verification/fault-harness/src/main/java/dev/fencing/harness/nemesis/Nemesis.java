package dev.fencing.harness.nemesis;

import static java.lang.System.Logger.Level.WARNING;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.stage.Stage;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Carries a schedule out, each lane on a thread of its own, and keeps what it did with its proofs.
 *
 * <p>A fault that could not be shown to have happened is kept as unproved.
 */
public final class Nemesis {

  private static final System.Logger LOG = System.getLogger(Nemesis.class.getName());

  /** Longer no fault takes, heavy load included. */
  private static final Duration LONGEST_FAULT = Duration.ofMinutes(2);

  private final Scene scene;
  private final ProcessFaults processes;
  private final NetworkFaults network;
  private final ServerFaults servers;
  private final ConcurrentLinkedQueue<Fault> faults = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
  private final List<Thread> lanes = new ArrayList<>();
  private volatile boolean stopping;

  /**
   * @param root the path of the run's locks
   * @param origin of the run's times
   */
  public Nemesis(Stage stage, Marks marks, String root, long origin) {
    this.scene = new Scene(stage, marks, root, origin);
    this.processes = new ProcessFaults(scene);
    this.network = new NetworkFaults(scene);
    this.servers = new ServerFaults(scene);
  }

  /** Begins. */
  public void start(Schedule schedule) {
    for (List<Planned> lane : schedule.lanes()) {
      Thread thread = new Thread(() -> carryOut(lane), "nemesis-" + lanes.size());
      thread.setDaemon(true);
      lanes.add(thread);
    }
    lanes.forEach(Thread::start);
  }

  /** Begins nothing more, waits for what goes on, and heals everything. */
  public void stop() throws InterruptedException {
    stopping = true;
    long start = System.nanoTime();
    for (Thread lane : lanes) {
      lane.join(Math.max(1, LONGEST_FAULT.minus(Scene.since(start)).toMillis()));
    }
    heal();
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
  }

  /** Waits for nothing: what goes on is interrupted, and nothing is left frozen. */
  public void abandon() {
    stopping = true;
    lanes.forEach(Thread::interrupt);
    try {
      heal();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void heal() throws InterruptedException {
    scene.thawAll();
    for (int i = 0; i < scene.stage().workers().count(); i++) {
      scene.stage().workers().links(i).restore();
    }
  }

  /** What was done until now, by time. */
  public List<Fault> faults() {
    List<Fault> sorted = new ArrayList<>(faults);
    sorted.sort(Comparator.comparingLong(Fault::from));
    return sorted;
  }

  /** How many sessions the servers have expired. */
  public long expiries() throws IOException {
    return scene.expiries();
  }

  /** What has made it give up, if anything has: a server that does not come back, for example. */
  public @Nullable RuntimeException failure() {
    return failure.get();
  }

  private void carryOut(List<Planned> lane) {
    try {
      for (Planned planned : lane) {
        rest(planned.gap());
        if (stopping) {
          return;
        }
        faults.add(fault(planned));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void rest(Duration gap) throws InterruptedException {
    long start = System.nanoTime();
    while (!stopping && Scene.since(start).compareTo(gap) < 0) {
      Scene.sleep(Duration.ofMillis(Math.min(50, gap.toMillis() + 1)));
    }
  }

  private Fault fault(Planned planned) throws InterruptedException {
    long from = scene.now();
    Arrival victim = null;
    try {
      if (planned.kind().hitsAll()) {
        return onServers(planned, from);
      }
      if (planned.kind() == FaultKind.DEADLOCK_VICTIM) {
        return DeadlockVictim.strike(scene, planned, from);
      }
      victim = processes.victim(planned);
      return victim == null
          ? scene.missed(planned, from, "nobody came to " + planned.place() + " in time")
          : onHolder(planned, victim, scene.now());
    } catch (IOException | SQLException | AssertionError e) {
      LOG.log(WARNING, planned + " failed", e);
      return scene.done(planned, from, victim, false, e.toString());
    } finally {
      if (victim != null) {
        victim.go();
        scene.thaw(victim.pid());
        scene.marks().spare(victim.worker());
      }
    }
  }

  private Fault onHolder(Planned planned, Arrival victim, long from)
      throws IOException, InterruptedException, SQLException {
    return switch (planned.kind()) {
      case PAUSE_HOLDER -> processes.pause(planned, victim, from);
      case KILL_HOLDER -> processes.kill(planned, victim, from);
      case PAUSE_BACKEND -> processes.pauseBackend(planned, victim, from);
      case CLOCK_JUMP -> processes.clockJump(planned, victim, from);
      case OPEN_TRANSACTION -> processes.openTransaction(planned, victim, from);
      case WRITE_IN_FLIGHT -> network.writeInFlight(planned, victim, from);
      case CUT_ZOOKEEPER, CUT_DATABASE -> network.cut(planned, victim, from);
      case LOST_CREATE_REPLY -> network.lostCreateReply(planned, victim, from);
      case LIVE_ZOMBIE -> network.liveZombie(planned, victim, from);
      case TERMINATE_BACKEND -> servers.terminateBackend(planned, victim, from);
      case PARENT_REMOVED -> servers.removeParent(planned, victim, from);
      default -> throw new IllegalArgumentException(planned.kind() + " is aimed at no holder");
    };
  }

  private Fault onServers(Planned planned, long from) throws IOException, InterruptedException {
    return switch (planned.kind()) {
      case KILL_LEADER -> servers.killLeader(planned, from);
      case FREEZE_LEADER -> servers.freezeLeader(planned, from);
      case LOST_MAJORITY -> servers.lostMajority(planned, from);
      case RESTART_DATABASE -> servers.restartDatabase(planned, from);
      case TOKEN_GOES_BACK -> new TokenGoesBack(scene.stage()).strike(scene, planned, from);
      default -> throw new IllegalArgumentException(planned.kind() + " is aimed at no server");
    };
  }
}
