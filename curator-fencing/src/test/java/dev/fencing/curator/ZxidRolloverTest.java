package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On an ensemble whose transaction counter is about to run over its 32 bits. */
class ZxidRolloverTest extends ZooKeeperCase {

  private static Ensemble ensemble;

  @BeforeAll
  static void start(@TempDir File folder) throws Exception {
    ensemble = new Ensemble(folder);
    // Before the first transaction of this epoch: later the servers refuse the jump.
    ensemble.setCounter(0xffffffd0);
  }

  @AfterAll
  static void stop() throws Exception {
    ensemble.stop();
  }

  @Override
  int port() {
    return ensemble.port();
  }

  private CuratorFramework clientOfAll() throws Exception {
    return client(port(), builder -> builder.connectString(ensemble.connectString()));
  }

  @Test
  void tokensRiseAndAHoldLastsThroughTheRollover() throws Exception {
    long epoch = ensemble.epoch();
    CuratorFramework client = clientOfAll();
    long session = session(client);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease survivor = mutex.acquireLease();
    // Asked by the holder: the observer's server may not have heard of the node yet.
    String node = path + "/" + client.getChildren().forPath(path).get(0);
    InterProcessFencedMutex busy = new InterProcessFencedMutex(clientOfAll(), path + "-busy");
    List<Long> granted = new ArrayList<>();
    long last;
    do {
      try (FencedLease lease = busy.acquireLease()) {
        last = lease.token();
        granted.add(last);
      }
    } while (last >>> 32 == epoch && granted.size() < 40);

    assertThat(last >>> 32).as("epoch of the last token").isEqualTo(epoch + 1);
    assertThat(granted).hasSizeGreaterThan(5).isSorted().doesNotHaveDuplicates();
    assertThat(Integer.compareUnsigned((int) last, (int) survivor.token()))
        .as("the lower halves alone go backward")
        .isNegative();
    eventually(whenConnected(() -> observer.exists(node, false) != null));
    Stat stat = observer.exists(node, false);
    assertThat(stat.getCzxid()).isEqualTo(survivor.token());
    assertThat(stat.getEphemeralOwner()).isEqualTo(session).isEqualTo(session(client));
    assertThat(survivor.isLive()).isTrue();
    survivor.close();
    try (FencedLease next = mutex.acquireLease()) {
      assertThat(next.token()).isGreaterThan(last);
    }
    eventually(() -> children(path + "-busy").isEmpty());
    observer.delete(path + "-busy", -1);
  }
}
