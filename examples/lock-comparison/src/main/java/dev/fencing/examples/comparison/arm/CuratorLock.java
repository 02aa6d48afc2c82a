package dev.fencing.examples.comparison.arm;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

/** A lock in ZooKeeper; its lease is the session. */
abstract class CuratorLock implements Lock {

  private static final int CONNECT_MILLIS = 15_000;

  private final CuratorFramework client;

  CuratorLock(String address, Duration session) throws IOException, InterruptedException {
    this.client =
        CuratorFrameworkFactory.newClient(
            address, (int) session.toMillis(), CONNECT_MILLIS, new RetryNTimes(20, 50));
    client.start();
    if (!client.blockUntilConnected(CONNECT_MILLIS, TimeUnit.MILLISECONDS)) {
      client.close();
      throw new IOException(
          "no connection to ZooKeeper at %s within %d ms".formatted(address, CONNECT_MILLIS));
    }
  }

  CuratorFramework client() {
    return client;
  }

  static String path(String resource) {
    return "/locks/" + resource;
  }

  /** What was negotiated, which may not be what was asked for. */
  @Override
  public long leaseMillis() throws Exception {
    return client.getZookeeperClient().getZooKeeper().getSessionTimeout();
  }

  @Override
  public void close() {
    client.close();
  }
}
