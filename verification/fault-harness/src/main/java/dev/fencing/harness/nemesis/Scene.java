package dev.fencing.harness.nemesis;

import dev.fencing.fixtures.Signals;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.stage.Links;
import dev.fencing.harness.stage.ServerLog;
import dev.fencing.harness.stage.Stage;
import dev.fencing.harness.worker.Order;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What faults work on, and the proofs that they have in common. Thread-safe. */
final class Scene {

  private static final Duration LOG = Duration.ofMillis(1_500);

  private final Stage stage;
  private final Marks marks;
  private final String root;
  private final long origin;
  private final List<ServerLog> zookeeperLogs;
  private final ServerLog databaseLog;
  private final Set<Long> frozen = ConcurrentHashMap.newKeySet();

  Scene(Stage stage, Marks marks, String root, long origin) {
    this.stage = stage;
    this.marks = marks;
    this.root = root;
    this.origin = origin;
    this.zookeeperLogs = stage.zookeeperLogs();
    this.databaseLog = stage.databaseLog();
  }

  Stage stage() {
    return stage;
  }

  Marks marks() {
    return marks;
  }

  Links links(Arrival victim) {
    return stage.workers().links(victim.worker());
  }

  /** The path of a lock. */
  String path(int lock) {
    return root + "/" + Order.lock(lock);
  }

  long now() {
    return System.nanoTime() - origin;
  }

  void freeze(long pid) throws IOException, InterruptedException {
    frozen.add(pid);
    Signals.freeze(pid);
  }

  void thaw(long pid) throws InterruptedException {
    try {
      if (frozen.remove(pid)) {
        Signals.thaw(pid);
      }
    } catch (IOException gone) {
      // Killed meanwhile.
    }
  }

  /** Whatever a fault has left. */
  void thawAll() throws InterruptedException {
    for (long pid : Set.copyOf(frozen)) {
      thaw(pid);
    }
  }

  static void sleep(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  static String seconds(Duration time) {
    return String.format(java.util.Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
  }

  /** Whether a ZooKeeper server has expired that session; waits a little for it. */
  boolean expired(String session) throws IOException, InterruptedException {
    long start = System.nanoTime();
    do {
      if (hasExpired(session)) {
        return true;
      }
      sleep(Duration.ofMillis(50));
    } while (since(start).compareTo(LOG) < 0);
    return false;
  }

  /** Whether one has done so until now. */
  boolean hasExpired(String session) throws IOException {
    for (ServerLog log : zookeeperLogs) {
      if (log.says(line -> line.contains("Expiring session " + session + ","))) {
        return true;
      }
    }
    return false;
  }

  /** How many sessions the servers have expired. */
  long expiries() throws IOException {
    long count = 0;
    for (ServerLog log : zookeeperLogs) {
      count += log.count(line -> line.contains("Expiring session "));
    }
    return count;
  }

  /** How often the database has said so until now. */
  long databaseHasSaid(String text) throws IOException {
    return databaseLog.count(line -> line.contains(text));
  }

  /** Whether the database has said so; waits a little for it. */
  boolean databaseSays(String text) throws IOException, InterruptedException {
    return databaseSays(text, 0);
  }

  /** Whether it has said so more often than that. */
  boolean databaseSays(String text, long before) throws IOException, InterruptedException {
    long start = System.nanoTime();
    do {
      if (databaseHasSaid(text) > before) {
        return true;
      }
      sleep(Duration.ofMillis(50));
    } while (since(start).compareTo(LOG) < 0);
    return false;
  }

  /** A fault that nobody was there for. */
  Fault missed(Planned planned, long from, String why) {
    return new Fault(
        planned.kind(), from, now(), null, resource(planned), false, why, planned.place());
  }

  Fault done(Planned planned, long from, @Nullable Arrival victim, boolean proved, String proof) {
    return new Fault(
        planned.kind(),
        from,
        now(),
        victim == null ? null : victim.worker(),
        resource(planned),
        proved,
        proof,
        victim == null || planned.at() == null ? planned.place() : victim.mark().toString());
  }

  private static @Nullable String resource(Planned planned) {
    return planned.lane() < Order.LOCKS ? Order.lock(planned.lane()) : null;
  }
}
