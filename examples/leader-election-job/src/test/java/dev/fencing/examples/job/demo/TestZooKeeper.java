package dev.fencing.examples.job.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** A ZooKeeper that grants short sessions, and clients of it. */
public final class TestZooKeeper implements AutoCloseable {

  private static final int CONNECT_SECONDS = 20;

  private final Path directory;
  private final EmbeddedZooKeeper server;

  private TestZooKeeper(Path directory, EmbeddedZooKeeper server) {
    this.directory = directory;
    this.server = server;
  }

  /** Starts a server on a free port. */
  public static TestZooKeeper start() throws Exception {
    Path directory = Files.createTempDirectory("zookeeper-");
    return new TestZooKeeper(directory, EmbeddedZooKeeper.start(directory));
  }

  /** Its address as host:port. */
  public String address() throws Exception {
    return server.address();
  }

  /** Connects with a session of 2 s. */
  public static CuratorFramework connect(String address) throws InterruptedException {
    int session = (int) EmbeddedZooKeeper.SESSION.toMillis();
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            address, session, session, new ExponentialBackoffRetry(100, 5));
    client.start();
    if (!client.blockUntilConnected(CONNECT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("no ZooKeeper at " + address + " within " + CONNECT_SECONDS + " s");
    }
    return client;
  }

  @Override
  public void close() {
    server.close();
    RunDirectory.delete(directory);
  }
}
