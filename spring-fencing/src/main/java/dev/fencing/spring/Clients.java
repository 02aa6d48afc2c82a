package dev.fencing.spring;

import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** The client that the properties describe. */
final class Clients {

  private static final int FIRST_PAUSE_MILLIS = 100;
  private static final int TRIES = 3;

  private Clients() {}

  /**
   * Starts a client.
   *
   * @throws IllegalStateException if ZooKeeper does not answer in time, unless it may do so later
   */
  static CuratorFramework start(FencingProperties.Curator properties) {
    int connectionTimeout = (int) properties.connectionTimeout().toMillis();
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(properties.connectString())
            .sessionTimeoutMs((int) properties.sessionTimeout().toMillis())
            .connectionTimeoutMs(connectionTimeout)
            .namespace(properties.namespace())
            .retryPolicy(new ExponentialBackoffRetry(FIRST_PAUSE_MILLIS, TRIES))
            .build();
    boolean well = false;
    try {
      client.start();
      well =
          properties.lazy() || client.blockUntilConnected(connectionTimeout, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!well) {
        client.close();
      }
    }
    if (!well) {
      throw new IllegalStateException(
          "no ZooKeeper answers at %s (fencing.curator.connect-string) within %d ms (fencing.curator.connection-timeout). Start it, correct the address, or let the application start without it by fencing.curator.lazy=true"
              .formatted(properties.connectString(), connectionTimeout));
    }
    return client;
  }
}
