package dev.fencing.examples.bank.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.springframework.util.StreamUtils;

/**
 * A ZooKeeper in this process and a PostgreSQL beside it, both on ports that are free, and both
 * syncing to the disk what they acknowledge.
 */
public final class Servers implements AutoCloseable {

  private static final String TICK_MILLIS = "500"; // Grants the bank's session of 2 s.
  private static final Duration START = Duration.ofSeconds(60);

  private final ZooKeeperServerEmbedded zookeeper;
  private final EmbeddedPostgres postgres;

  private Servers(ZooKeeperServerEmbedded zookeeper, EmbeddedPostgres postgres) {
    this.zookeeper = zookeeper;
    this.postgres = postgres;
  }

  /** Starts both. */
  public static Servers start(Path directory) throws Exception {
    Path data = directory.resolve("postgres");
    Path log = directory.resolve("postgres.log");
    EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setRegisterShutdownHook(false)
            .setPGStartupWait(START)
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("unix_socket_directories", "")
            .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new Servers(startZooKeeper(directory.resolve("zookeeper")), postgres);
  }

  /** Ports that are free now, for processes that have to know of each other before they start. */
  public static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  private static ZooKeeperServerEmbedded startZooKeeper(Path directory) throws Exception {
    Properties config = new Properties();
    config.setProperty("clientPort", "0");
    config.setProperty("clientPortAddress", "127.0.0.1");
    config.setProperty("tickTime", TICK_MILLIS);
    config.setProperty("admin.enableServer", "false");
    ZooKeeperServerEmbedded server =
        ZooKeeperServerEmbedded.builder()
            .baseDir(Files.createDirectories(directory))
            .configuration(config)
            .exitHandler(ExitHandler.LOG_ONLY)
            .build();
    server.start();
    return server;
  }

  /** As host:port. */
  public String zookeeper() throws Exception {
    return zookeeper.getConnectionString();
  }

  /** With the user in it. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres&connectTimeout=5&socketTimeout=20"
        .formatted(postgres.getPort());
  }

  /** A connection past the bank. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl());
  }

  /** Creates the bank's tables and its accounts, as a migration would. */
  public void createTables(int accounts, long cents) throws IOException, SQLException {
    String ddl =
        StreamUtils.copyToString(
            Servers.class.getResourceAsStream("/schema.sql"), StandardCharsets.UTF_8);
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(ddl);
      statement.execute(
          "INSERT INTO account SELECT n, 'owner ' || n, %d FROM generate_series(1, %d) n"
              .formatted(cents, accounts));
    }
  }

  @Override
  public void close() throws IOException {
    try (postgres) {
      zookeeper.close();
    }
  }
}
