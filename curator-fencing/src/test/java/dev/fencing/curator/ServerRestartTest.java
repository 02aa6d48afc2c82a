package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a server that stops and starts again on its data. */
class ServerRestartTest extends ZooKeeperCase {

  private static TestingServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MS, -1), true);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Override
  int port() {
    return server.getPort();
  }

  @Test
  void holdAndQueueLastThroughARestartAndTokensRise() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease first = mutex.acquireLease();
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    long session = handle.getSessionId();
    Future<FencedLease> waiter =
        inThread(new InterProcessFencedMutex(client(), path)::acquireLease);
    awaitChildren(2);

    server.stop();
    eventually(() -> !handle.getState().isConnected());
    assertThat(first.isLive()).as("while the server is away").isTrue();
    server.restart();

    eventually(whenConnected(() -> children(path).size() == 2));
    assertThat(client.getChildren().forPath(path)).hasSize(2);
    assertThat(session(client)).isEqualTo(session);
    assertThat(first.isLive()).isTrue();
    assertThat(waiter.isDone()).as("granted by the restart").isFalse();
    first.close();
    FencedLease second = get(waiter);
    second.close();
    FencedLease third = mutex.acquireLease();
    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(third.token()).isGreaterThan(second.token());
    third.close();
  }
}
