package dev.fencing.examples.job.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts the processes of a run and ends them all, whatever happens to this one.
 *
 * <p>{@link #close} runs at the end of the demo and, by a shutdown hook, at Ctrl-C and SIGTERM. If
 * this process is killed outright, the {@link Guardian} does the same.
 */
public final class Backstage implements AutoCloseable {

  private static final Duration START_BOUND = Duration.ofSeconds(60);
  private static final Duration STOP_BOUND = Duration.ofSeconds(20);
  private static final String ENDED = "ended";

  private final RunDirectory run;
  private final Timeline timeline;
  private final List<Process> workers = new ArrayList<>();
  private @Nullable Process guardian;
  private boolean closed;
  private volatile boolean interrupted;

  private Backstage(RunDirectory run, Timeline timeline) {
    this.run = run;
    this.timeline = timeline;
  }

  /** Makes the run's directory; nothing is started yet. */
  public static Backstage open(Timeline timeline) throws IOException {
    Backstage backstage = new Backstage(RunDirectory.unique(), timeline);
    // The hook first: what is made before it could stay.
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(backstage::interrupt, "stop"));
    } catch (IllegalStateException e) {
      throw DemoException.unfinished("interrupted before anything was started");
    }
    backstage.createDirectory();
    return backstage;
  }

  private synchronized void createDirectory() throws IOException {
    requireOpen("the run's directory");
    run.create();
  }

  private void requireOpen(String what) {
    if (closed) {
      throw DemoException.unfinished("the demo is ending; no start of " + what);
    }
  }

  RunDirectory run() {
    return run;
  }

  /** Returns the last lines that a worker wrote to its standard error, as one line. */
  public String lastLines(String worker) {
    return run.tail(worker);
  }

  /** Starts the guardian with a ZooKeeper and a PostgreSQL, and waits until they answer. */
  public Servers startServers() throws IOException, InterruptedException {
    return startServers(null, null, "");
  }

  /**
   * Starts the guardian with those servers that are not given, and waits until they answer.
   *
   * @param otherwise what to do when one does not start, after a semicolon; may be empty
   */
  Servers startServers(
      @Nullable String zookeeper, Servers.@Nullable Database database, String otherwise)
      throws IOException, InterruptedException {
    List<String> args = new ArrayList<>();
    args.add(run.path().toString());
    args.add(programs().toString());
    if (zookeeper == null) {
      args.add("zookeeper");
    }
    if (database == null) {
      args.add("postgres");
    }
    Process process = start("servers", 128, Guardian.class, args, Map.of());
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> readLines(process, lines), "servers");
    reader.setDaemon(true);
    reader.start();
    String startedZookeeper = zookeeper;
    Servers.Database startedDatabase = database;
    for (String line = next(lines); !line.equals(Guardian.READY); line = next(lines)) {
      if (line.startsWith(Guardian.ZOOKEEPER)) {
        startedZookeeper = line.substring(Guardian.ZOOKEEPER.length());
        timeline.note("ZooKeeper is ready at " + startedZookeeper + " (fsync on)");
      } else if (line.startsWith(Guardian.POSTGRES)) {
        String url = line.substring(Guardian.POSTGRES.length());
        startedDatabase = new Servers.Database(url, "postgres", null);
        timeline.note("PostgreSQL is ready at " + url + " (fsync and synchronous_commit on)");
      } else if (line.startsWith(Guardian.FAILED)) {
        throw DemoException.unfinished(
            "an embedded server did not start"
                + otherwise
                + ": "
                + line.substring(Guardian.FAILED.length()));
      }
    }
    if (startedZookeeper == null || startedDatabase == null) {
      throw DemoException.unfinished("the embedded servers told no address");
    }
    return new Servers(startedZookeeper, startedDatabase);
  }

  /**
   * Starts a worker process that runs {@code main}, which must end when its standard input does.
   *
   * @param name of the worker, no other process of the run has it
   */
  public Process startWorker(
      Class<?> main, String name, List<String> args, Map<String, String> environment)
      throws IOException {
    return start(name, 64, main, args, environment);
  }

  private synchronized Process start(
      String name, int heap, Class<?> main, List<String> args, Map<String, String> environment)
      throws IOException {
    requireOpen(name);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // First, so that it is seen even where a long command line is cut: see RunDirectory.
    command.add("-Djava.io.tmpdir=" + run.path());
    command.add("-Xmx" + heap + "m");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-XX:-UsePerfData");
    // Standard output is for marks; what the JVM has to say belongs into the log.
    command.add("-XX:+DisplayVMOutputToStderr");
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(args);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectError(run.log(name).toFile());
    Process process = builder.start();
    if (main == Guardian.class) {
      guardian = process;
    } else {
      workers.add(process);
    }
    return process;
  }

  /**
   * Whether a signal ends the run, so that what fails from now on is no news. Ctrl-C reaches the
   * other processes too, perhaps first; so this is asked after {@link #close}, which takes a while.
   */
  public boolean isInterrupted() {
    return interrupted;
  }

  private void interrupt() {
    interrupted = true;
    timeline.silence();
    synchronized (this) {
      if (!closed) {
        System.err.println("interrupted: ending the workers and the servers");
        close();
      }
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    workers.forEach(Process::destroyForcibly);
    Process servers = guardian;
    if (servers != null) {
      try {
        servers.getOutputStream().close();
        servers.waitFor(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS);
      } catch (IOException e) {
        // It has ended already.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    run.clear();
  }

  private String next(BlockingQueue<String> lines) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < START_BOUND.toNanos()) {
      String line = lines.poll(2, TimeUnit.SECONDS);
      if (ENDED.equals(line)) {
        throw DemoException.unfinished(
            "the process of the embedded servers ended: " + run.tail("servers"));
      }
      if (line != null) {
        return line;
      }
      timeline.note("... still starting the servers");
    }
    throw DemoException.unfinished(
        "the embedded servers did not start within %d s: %s"
            .formatted(START_BOUND.toSeconds(), run.tail("servers")));
  }

  private static void readLines(Process process, BlockingQueue<String> lines) {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().forEach(lines::add);
    } catch (IOException | java.io.UncheckedIOException e) {
      // The process was killed.
    }
    lines.add(ENDED);
  }

  // The 60 MB of PostgreSQL's programs are kept from run to run, for each user by itself.
  private static Path programs() {
    return Path.of(
        System.getProperty("java.io.tmpdir"),
        "fencing-demo-postgres-" + System.getProperty("user.name"));
  }
}
