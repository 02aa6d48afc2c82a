package dev.fencing.harness.stage;

import dev.fencing.fixtures.Reaper;
import dev.fencing.harness.worker.Order;
import dev.fencing.harness.worker.WorkerMain;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The worker processes. One that dies is started again by itself. Thread-safe. */
public final class Workers implements AutoCloseable {

  /**
   * A worker that ended although nobody here has killed it.
   *
   * @param time as {@link System#nanoTime} says it
   */
  public record Death(int worker, long time) {}

  private static final Duration START = Duration.ofSeconds(60);

  private final List<Links> links = new ArrayList<>();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final List<Death> deaths = new CopyOnWriteArrayList<>();
  private final Set<Long> killed = ConcurrentHashMap.newKeySet();
  private final WorkerProcess[] processes;
  private final int[] incarnations;
  private final Reaper reaper;
  private final Duration session;
  private final int control;
  private final Clocks clocks;
  private final List<String> options;
  private @Nullable String order;
  private boolean closed;

  private Workers(
      int count,
      Ensemble ensemble,
      Database database,
      Reaper reaper,
      Duration session,
      int control,
      Clocks clocks,
      List<String> options)
      throws IOException {
    this.clocks = clocks;
    this.processes = new WorkerProcess[count];
    this.incarnations = new int[count];
    this.reaper = reaper;
    this.session = session;
    this.control = control;
    this.options = options;
    for (int i = 0; i < count; i++) {
      links.add(Links.open(ensemble, database, Order.LOCKS));
    }
  }

  /**
   * Starts the workers.
   *
   * @param control the port at which their marks are answered
   * @param options of their JVMs, besides a small heap
   */
  static Workers start(
      int count,
      Ensemble ensemble,
      Database database,
      Reaper reaper,
      Duration session,
      int control,
      Clocks clocks,
      List<String> options)
      throws IOException, InterruptedException {
    Workers workers =
        new Workers(count, ensemble, database, reaper, session, control, clocks, options);
    for (int i = 0; i < count; i++) {
      workers.launch(i);
    }
    for (WorkerProcess process : workers.processes) {
      workers.require(process, "ready", START);
    }
    return workers;
  }

  private synchronized WorkerProcess launch(int i) throws IOException {
    List<String> jvm = new ArrayList<>();
    jvm.add("-Dfencing.harness.worker=" + i); // First, to be seen where a long line is cut.
    jvm.add("-Xmx96m");
    jvm.add("-XX:+UseSerialGC");
    jvm.add("-XX:TieredStopAtLevel=1");
    jvm.add("-XX:-UsePerfData");
    jvm.add("-XX:+DisplayVMOutputToStderr");
    jvm.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=off");
    jvm.addAll(options);
    List<String> args = new ArrayList<>();
    args.add(Integer.toString(i));
    args.add(Integer.toString(incarnations[i]));
    args.add(Integer.toString(processes.length));
    args.add(links.get(i).zookeeperAddress());
    args.add(Long.toString(session.toMillis()));
    args.add(Integer.toString(control));
    links.get(i).database().forEach(proxy -> args.add(Integer.toString(proxy.port())));
    WorkerProcess process =
        WorkerProcess.start(i, clocks.environment(i), jvm, WorkerMain.class, args);
    reaper.started(process.pid());
    processes[i] = process;
    Thread watch = new Thread(() -> restartAfter(process), "worker-" + i + "-watch");
    watch.setDaemon(true);
    watch.start();
    return process;
  }

  private void restartAfter(WorkerProcess process) {
    try {
      while (!process.awaitEnd(START)) {
        // It lives.
      }
      reaper.ended(process.pid());
      String failure = process.failure();
      if (failure != null) {
        failures.add("worker " + process.worker() + ": " + failure);
        return;
      }
      if (!killed.remove(process.pid())) {
        deaths.add(new Death(process.worker(), System.nanoTime()));
      }
      restart(process.worker());
    } catch (IOException | HarnessException e) {
      failures.add("worker " + process.worker() + " could not be started again: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void restart(int i) throws IOException, InterruptedException {
    WorkerProcess next;
    synchronized (this) {
      if (closed) {
        return;
      }
      incarnations[i]++;
      next = launch(i);
    }
    require(next, "ready", START);
    synchronized (this) {
      if (order != null) {
        next.send(order);
      }
    }
  }

  /** Has all of them run; also those that are started again from now on. */
  public void run(Order work) throws IOException, InterruptedException {
    List<WorkerProcess> told;
    synchronized (this) {
      order = work.toLine();
      told = List.of(processes);
      for (WorkerProcess process : told) {
        process.send(work.toLine());
      }
    }
    for (WorkerProcess process : told) {
      require(process, "running", START);
    }
  }

  /** Has all of them end what they do, within a bound. */
  public void stop(Duration bound) throws IOException, InterruptedException {
    List<WorkerProcess> told;
    synchronized (this) {
      order = null;
      told = List.of(processes);
      for (WorkerProcess process : told) {
        process.send("stop");
      }
    }
    for (WorkerProcess process : told) {
      require(process, "stopped", bound);
    }
  }

  /**
   * Has each acquire each lock once, and returns the seconds by lock and worker; infinity: never.
   */
  public Map<String, Map<Integer, Double>> heal(Duration bound)
      throws IOException, InterruptedException {
    Map<String, Map<Integer, Double>> healed = new TreeMap<>();
    List<WorkerProcess> told = all();
    for (WorkerProcess process : told) {
      process.send("heal");
    }
    for (WorkerProcess process : told) {
      for (int i = 0; i < Order.LOCKS; i++) {
        String[] words = require(process, "healed ", bound).split(" ", -1);
        double seconds = Double.parseDouble(words[2]);
        healed
            .computeIfAbsent(words[1], lock -> new TreeMap<>())
            .put(process.worker(), seconds < 0 ? Double.POSITIVE_INFINITY : seconds);
      }
    }
    return healed;
  }

  /** What the zombie of a worker tells in the end; null if nothing in time. */
  public @Nullable String zombie(int worker, Duration bound) throws InterruptedException {
    return process(worker).await("zombie ", bound);
  }

  private String require(WorkerProcess process, String line, Duration bound)
      throws InterruptedException {
    String said = process.await(line, bound);
    if (said == null) {
      throw new HarnessException(
          "worker %d did not say \"%s\" within %d s%s"
              .formatted(
                  process.worker(),
                  line.strip(),
                  bound.toSeconds(),
                  process.failure() == null ? "" : ": " + process.failure()));
    }
    return said;
  }

  private synchronized List<WorkerProcess> all() {
    return List.of(processes);
  }

  private synchronized WorkerProcess process(int worker) {
    return processes[worker];
  }

  public Clocks clocks() {
    return clocks;
  }

  public int count() {
    return processes.length;
  }

  /** What workers have given up for; the run is worth nothing then. */
  public List<String> failures() {
    return failures;
  }

  /** Who has died unasked since the start. */
  public List<Death> deaths() {
    return deaths;
  }

  public Links links(int worker) {
    return links.get(worker);
  }

  public long pid(int worker) {
    return process(worker).pid();
  }

  /** Kills a worker, which is then started again by itself, and returns its exit status. */
  public int kill(int worker) throws InterruptedException {
    WorkerProcess process = process(worker);
    killed.add(process.pid());
    return process.kill();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
    }
    try {
      for (WorkerProcess process : all()) {
        if (process != null) {
          process.kill();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Links link : links) {
      link.close();
    }
  }
}
