package dev.fencing.examples.job.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/** A real ZooKeeper server in this process, on 127.0.0.1, that syncs every write to its disk. */
final class EmbeddedZooKeeper implements AutoCloseable {

  /** The session timeout to ask for; the server grants it because of its tick. */
  static final Duration SESSION = Duration.ofSeconds(2);

  private static final Duration TICK = Duration.ofMillis(500);

  private final ZooKeeperServerEmbedded server;

  private EmbeddedZooKeeper(ZooKeeperServerEmbedded server) {
    this.server = server;
  }

  /** Starts a server that keeps its data in {@code directory}, on a port that is free. */
  static EmbeddedZooKeeper start(Path directory) throws Exception {
    Properties config = new Properties();
    config.setProperty("clientPort", "0");
    config.setProperty("clientPortAddress", "127.0.0.1");
    config.setProperty("tickTime", Long.toString(TICK.toMillis()));
    config.setProperty("admin.enableServer", "false");
    ZooKeeperServerEmbedded server =
        ZooKeeperServerEmbedded.builder()
            .baseDir(directory)
            .configuration(config)
            .exitHandler(ExitHandler.LOG_ONLY)
            .build();
    server.start();
    return new EmbeddedZooKeeper(server);
  }

  /** Its address as host:port. */
  String address() throws Exception {
    return server.getConnectionString();
  }

  @Override
  public void close() {
    server.close();
  }
}
