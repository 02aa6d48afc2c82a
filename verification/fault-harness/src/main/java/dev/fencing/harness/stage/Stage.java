package dev.fencing.harness.stage;

import dev.fencing.fixtures.Reaper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Everything that runs besides this process. Whatever happens to this one, nothing of it stays.
 *
 * @param directory of the servers' data and logs, deleted in the end
 */
public record Stage(
    Path directory, Reaper reaper, Ensemble ensemble, Database database, Workers workers)
    implements AutoCloseable {

  /** The session timeout that the workers ask for. */
  public static final Duration SESSION = Duration.ofSeconds(1);

  /** How many ZooKeeper servers there are. */
  public static final int SERVERS = 3;

  /** How many workers there are. */
  public static final int WORKERS = 6;

  /**
   * Starts the servers, then the workers.
   *
   * @param control the port at which the workers' marks are answered
   * @param options of the workers' JVMs
   */
  public static Stage open(int control, List<String> options)
      throws IOException, InterruptedException {
    Path directory =
        Path.of(System.getProperty("java.io.tmpdir"))
            .toRealPath()
            .resolve("fencing-harness-" + UUID.randomUUID());
    // Before the directory is there: what is made before the reaper could stay.
    Reaper reaper = Reaper.start(directory);
    try {
      Files.createDirectory(directory);
      Ensemble ensemble = Ensemble.start(directory, reaper);
      Database database = Database.start(directory, Database.BOUND);
      ensemble.awaitServing();
      Workers workers =
          Workers.start(
              WORKERS,
              ensemble,
              database,
              reaper,
              SESSION,
              control,
              new Clocks(directory),
              options);
      return new Stage(directory, reaper, ensemble, database, workers);
    } catch (IOException | InterruptedException | RuntimeException e) {
      reaper.close();
      throw e;
    }
  }

  /** What ZooKeeper's servers say from now on of sessions that they expire. */
  public List<ServerLog> zookeeperLogs() {
    return ensemble.logs().stream().map(file -> new ServerLog(file, "Expiring session")).toList();
  }

  /** What the database says from now on of connections that it ends, and of recoveries. */
  public ServerLog databaseLog() {
    return new ServerLog(database.log(), "terminating connection", "recovery");
  }

  /** Has a child of this process that was started elsewhere end with everything else. */
  public void adopt(String program) {
    ProcessHandle.current()
        .children()
        .filter(child -> child.info().command().orElse("").endsWith(program))
        .forEach(child -> reaper.started(child.pid()));
  }

  /** Ends all; more than once does no harm. */
  @Override
  public synchronized void close() throws IOException {
    try {
      workers.close();
    } finally {
      ensemble.close();
      database.close();
      reaper.close();
    }
  }
}
