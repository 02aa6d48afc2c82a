package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server that gives a reconnecting client a new session without a word, as some do. */
class SilentNewSessionTest extends ZooKeeperCase {

  private static TestingServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new TestingServer();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Override
  int port() {
    return server.getPort();
  }

  /** A real handle whose session id can become another one. */
  @SuppressWarnings("try") // ZooKeeper closes by a method that may be interrupted
  private static final class Handle extends ZooKeeper {
    private volatile long another;

    Handle(String connect, int timeout, Watcher watcher, boolean readOnly) throws IOException {
      super(connect, timeout, watcher, readOnly);
    }

    @Override
    public long getSessionId() {
      return another == 0 ? super.getSessionId() : another;
    }
  }

  @Test
  void holdOfTheOldSessionIsLostAndItsHolderIsTold() throws Exception {
    ZookeeperFactory factory = Handle::new;
    CuratorFramework client = client(port(), builder -> builder.zookeeperFactory(factory));
    Handle handle = (Handle) client.getZookeeperClient().getZooKeeper();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease lease = mutex.acquireLease();
    CompletableFuture<FencedLease> told = new CompletableFuture<>();
    lease.onLost(told::complete);
    assertThat(lease.isLive()).isTrue();

    handle.another = lease.token() + 1_000;

    assertThat(get(told)).isSameAs(lease);
    assertThatThrownBy(lease::requireLive)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("session");
    handle.another = 0; // As if its next session were the real one.
    soonNoChildren();
    try (FencedLease next = mutex.acquireLease()) {
      assertThat(next.token()).isGreaterThan(lease.token());
      assertThat(lease.isLive()).isFalse();
    }
  }
}
