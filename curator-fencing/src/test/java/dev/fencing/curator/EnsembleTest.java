package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** On three servers: the leader changes, or all are gone for a while. */
@Execution(ExecutionMode.SAME_THREAD) // they stop the servers under each other's feet
class EnsembleTest extends ZooKeeperCase {

  private static Ensemble ensemble;

  @BeforeAll
  static void start(@TempDir File folder) throws Exception {
    ensemble = new Ensemble(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    ensemble.stop();
  }

  @Override
  int port() {
    return ensemble.port();
  }

  private InterProcessFencedMutex mutex() throws Exception {
    return new InterProcessFencedMutex(clientOfAll(builder -> builder), path);
  }

  private CuratorFramework clientOfAll(UnaryOperator<CuratorFrameworkFactory.Builder> change)
      throws Exception {
    return client(port(), builder -> change.apply(builder.connectString(ensemble.connectString())));
  }

  @Test
  void tokensRiseInGrantOrderAndAHoldLastsThroughLeaderChanges() throws Exception {
    List<Long> granted = new ArrayList<>();
    FencedLease holder = mutex().acquireLease();
    granted.add(holder.token());
    for (int change = 0; change < 2; change++) {
      List<Future<FencedLease>> waiters = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        waiters.add(inThread(mutex()::acquireLease));
        awaitNodes(2 + i);
      }
      long epoch = ensemble.epoch();

      ensemble.changeLeader();

      assertThat(ensemble.epoch()).isGreaterThan(epoch);
      assertStillHeld(holder);
      holder.close();
      for (Future<FencedLease> waiter : waiters) {
        holder = get(waiter);
        granted.add(holder.token());
        holder.close();
      }
      holder = mutex().acquireLease();
      assertThat(holder.token() >>> 32).as("granted by the new leader").isGreaterThan(epoch);
      granted.add(holder.token());
    }
    holder.close();
    awaitNodes(0);

    assertThat(granted).hasSize(7).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void holderThatOutlivesNeitherSessionNorEnsembleQueuesAgainWithANewNode() throws Exception {
    CuratorFramework client = clientOfAll(builder -> builder.sessionTimeoutMs(2_000));
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease leader = mutex.acquireLease();
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    long session = handle.getSessionId();

    ensemble.stop();
    eventually(() -> !handle.getState().isAlive());
    assertThat(leader.isLive()).isFalse();
    ensemble.start(); // the sessions start anew there, so the leader's node is listed again

    List<Long> granted = new ArrayList<>(); // guarded by the lock under test
    AtomicInteger inside = new AtomicInteger();
    Future<Long> again = inThread(() -> lead(mutex, granted, inside, client));
    CuratorFramework other = clientOfAll(builder -> builder);
    Future<Long> joining =
        inThread(() -> lead(new InterProcessFencedMutex(other, path), granted, inside, other));
    assertThat(get(again)).as("owner of the new node").isNotEqualTo(session);
    get(joining);
    leader.close();
    awaitNodes(0);

    assertThat(leader.isLive()).isFalse();
    assertThat(granted)
        .hasSize(2)
        .isSorted()
        .allSatisfy(t -> assertThat(t > leader.token()).isTrue());
  }

  /** Returns the session that owns the node of the hold. */
  private static Long lead(
      InterProcessFencedMutex mutex,
      List<Long> granted,
      AtomicInteger inside,
      CuratorFramework client)
      throws Exception {
    try (FencedLease lease = mutex.acquireLease()) {
      assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
      granted.add(lease.token());
      for (String node : client.getChildren().forPath(lease.lockPath())) {
        Stat stat = client.checkExists().forPath(lease.lockPath() + "/" + node);
        if (stat != null && stat.getCzxid() == lease.token()) {
          inside.decrementAndGet();
          return stat.getEphemeralOwner();
        }
      }
      throw new AssertionError("no node has the token of " + lease);
    }
  }

  private void assertStillHeld(FencedLease lease) {
    assertThat(lease.isLive()).isTrue();
    eventually(
        whenConnected(
            () -> {
              for (String node : children(path)) {
                Stat stat = observer.exists(path + "/" + node, false);
                if (stat != null && stat.getCzxid() == lease.token()) {
                  return true;
                }
              }
              return false;
            }));
  }

  private void awaitNodes(int count) {
    eventually(whenConnected(() -> children(path).size() == count));
  }
}
