package dev.fencing.harness.stage;

import dev.fencing.fixtures.Signals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A PostgreSQL that syncs every commit, and that can be shut down at once and started again on the
 * same data and port.
 *
 * <p>The fixture's server is made for tests that leave it running; this one is made to be killed.
 */
public final class Database implements AutoCloseable {

  private static final int LAST_WORDS = 4;
  static final Duration BOUND = Duration.ofSeconds(60);

  private final Path data;
  private final Path log;
  private final Duration bound;
  private EmbeddedPostgres server;

  private Database(Path directory, Duration bound) throws IOException {
    this.data = directory.resolve("postgres");
    this.log = directory.resolve("postgres.log");
    this.bound = bound;
    this.server = launch(0);
  }

  /**
   * @param bound how long a start may take
   */
  static Database start(Path directory, Duration bound) throws IOException {
    return new Database(directory, bound);
  }

  private EmbeddedPostgres launch(int port) throws IOException {
    var builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            .setRegisterShutdownHook(false)
            .setPGStartupWait(bound)
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("max_connections", "300")
            .setServerConfig("unix_socket_directories", "")
            .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()));
    if (port != 0) {
      builder.setPort(port);
    }
    return builder.start();
  }

  /** The port on 127.0.0.1, the same after a restart. */
  public int port() {
    return server.getPort();
  }

  Path log() {
    return log;
  }

  /** Connections of an administrator that no proxy stands in front of. */
  public DataSource dataSource() {
    return server.getPostgresDatabase();
  }

  /** A connection of an administrator that no proxy stands in front of. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres&connectTimeout=5&socketTimeout=20"
            .formatted(port()));
  }

  /** Runs statements that return nothing. */
  public void run(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the rows of a query as text. */
  public List<List<String>> query(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<List<String>> result = new ArrayList<>();
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(String.valueOf(rows.getString(i)));
        }
        result.add(row);
      }
      return result;
    }
  }

  /** Returns the settings that make a commit durable, for the report. */
  public String durability() throws SQLException {
    List<String> row =
        query("SELECT current_setting('fsync'), current_setting('synchronous_commit')").get(0);
    return "fsync %s, synchronous_commit %s".formatted(row.get(0), row.get(1));
  }

  /**
   * Shuts the server down at once, as a crash does, and starts it again.
   *
   * @throws HarnessException if it does not come back within the bound
   */
  public synchronized void restart() throws IOException, InterruptedException {
    int port = port();
    long pid = pid();
    Signals.send("QUIT", pid);
    long start = System.nanoTime();
    while (Signals.state(pid) != '?' && Signals.state(pid) != 'Z') {
      if (System.nanoTime() - start > bound.toNanos()) {
        throw new HarnessException("PostgreSQL %d does not end".formatted(pid));
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    server.close(); // Gives back its lock on the directory; there is nothing to stop any more.
    try {
      server = launch(port);
    } catch (IOException | IllegalStateException e) {
      throw new HarnessException(
          "PostgreSQL did not come back within %d s after a restart; it said last: %s"
              .formatted(bound.toSeconds(), lastWords()),
          e);
    }
  }

  /** The end of its log, which is deleted with all the rest. */
  private String lastWords() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join(" | ", lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size()));
  }

  private long pid() throws IOException {
    return Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
  }

  @Override
  public synchronized void close() {
    try {
      server.close();
    } catch (IOException e) {
      // The reaper ends what is left.
    }
  }
}
