package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a holder is told after its session ended, and what it is not told. */
abstract class SessionLossContract extends ZooKeeperCase {

  @Test
  void reentrantAcquireAfterSessionLossThrows() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    InterProcessFencedMutex successor = new InterProcessFencedMutex(client(), path);
    long token = mutex.acquireAndGetToken();

    expireOnServer(client);
    long higher = successor.acquireAndGetToken();
    assertThat(higher).isGreaterThan(token);
    proxy().cut();
    eventually(() -> mutex.holds.values().iterator().next().node().isLost());

    List<ThrowingCallable> uses =
        List.of(
            mutex::acquire,
            () -> mutex.acquire(1, TimeUnit.SECONDS),
            mutex::acquireAndGetToken,
            () -> mutex.acquireAndGetToken(Duration.ZERO),
            mutex::getToken);
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use)
          .asInstanceOf(type(LeaseLostException.class))
          .satisfies(
              lost -> {
                assertThat(lost.lockPath()).isEqualTo(path);
                assertThat(lost.token()).isEqualTo(token);
                assertThat(lost)
                    .hasMessageContaining(path)
                    .hasMessageContaining(Long.toString(token))
                    .hasMessageContaining("acquire again");
              });
    }
    assertThat(mutex.isOwnedByCurrentThread()).as("the local count").isTrue();

    mutex.release();

    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
    assertThat(mutex.holds).isEmpty();
    assertThat(onlyNode().getCzxid()).as("the successor's node").isEqualTo(higher);
    assertThat(successor.getToken()).isEqualTo(higher);
    assertThat(mutex.acquireAndGetToken(Duration.ZERO)).as("busy").isEmpty();
    successor.release();
    assertThat(mutex.acquireAndGetToken()).isGreaterThan(higher);
    mutex.release();
  }

  @Test
  void formerHolderIsNeverToldItsSuccessorsToken() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    long token = mutex.acquireAndGetToken();

    expireOnServer(client);
    FencedLease successor = new InterProcessFencedMutex(client(), path).acquireLease();

    // Before the client knows, it gets its own token, which is stale; afterwards none.
    long told;
    try {
      told = mutex.getToken();
    } catch (LeaseLostException alreadyKnown) {
      told = alreadyKnown.token();
    }
    assertThat(told).isEqualTo(token).isLessThan(successor.token());
    proxy().cut();
    eventually(() -> isLost(mutex));
    mutex.release();
    assertThatThrownBy(mutex::getToken).isInstanceOf(IllegalMonitorStateException.class);
    successor.close();
  }

  @Test
  void lostReentrantHoldIsReleasedAsOftenAsItWasAcquired() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    mutex.acquire();
    long token = mutex.acquireAndGetToken();

    expireOnServer(client);
    proxy().cut();
    eventually(() -> isLost(mutex));

    mutex.release();
    assertThatThrownBy(mutex::acquire).as("still held once").isInstanceOf(LeaseLostException.class);
    mutex.release();
    assertThatThrownBy(mutex::release).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(mutex.acquireAndGetToken()).isGreaterThan(token);
    mutex.release();
  }

  @Test
  void lossIsKnownNoLaterThanCuratorReportsIt() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    CompletableFuture<Boolean> liveAtLost = new CompletableFuture<>();
    client
        .getConnectionStateListenable()
        .addListener(
            (source, state) -> {
              if (state == ConnectionState.LOST) {
                liveAtLost.complete(lease.isLive());
              }
            });

    expireOnServer(client);
    proxy().cut();

    assertThat(get(liveAtLost)).isFalse();
    lease.close();
  }

  @Test
  void lossIsKnownWhileTheEventThreadIsBlocked() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    CountDownLatch unblock = blockEventThread(client);

    expireOnServer(client);
    proxy().cut();

    eventually(() -> !lease.isLive());
    unblock.countDown();
    lease.close();
  }

  @Test
  void lateReportOfAnEarlierLossDoesNotEndANewHold() throws Exception {
    CuratorFramework client = proxiedClient();
    long first = session(client);
    CountDownLatch unblock = new CountDownLatch(1);
    CountDownLatch lostDelivered = new CountDownLatch(1);
    client
        .getConnectionStateListenable()
        .addListener(
            (source, state) -> {
              if (state == ConnectionState.SUSPENDED) {
                awaitUninterrupted(unblock); // keeps the LOST that follows in Curator's queue
              } else if (state == ConnectionState.LOST) {
                lostDelivered.countDown();
              }
            });
    expireOnServer(client);
    proxy().cut();
    eventually(() -> client.getZookeeperClient().isConnected() && session(client) != first);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    long token = mutex.acquireAndGetToken();
    assertThat(lostDelivered.getCount()).as("LOST is still to come").isEqualTo(1);

    unblock.countDown();
    assertThat(lostDelivered.await(10, TimeUnit.SECONDS)).isTrue();

    assertThat(mutex.getToken()).isEqualTo(token).isEqualTo(onlyNode().getCzxid());
    mutex.release();
  }

  @Test
  void disconnectWithinTheSessionLosesNothing() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    long token = mutex.acquireAndGetToken();
    String node = children(path).get(0);
    List<ConnectionState> states = new CopyOnWriteArrayList<>();
    client.getConnectionStateListenable().addListener((source, state) -> states.add(state));

    proxy().silence();
    proxy().cut();
    eventually(() -> states.contains(ConnectionState.SUSPENDED));
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    eventually(() -> !handle.getState().isConnected());
    assertThat(mutex.getToken()).as("while disconnected").isEqualTo(token);
    proxy().restore();
    eventually(() -> states.contains(ConnectionState.RECONNECTED));

    assertThat(mutex.getToken()).isEqualTo(token);
    assertThat(mutex.acquireAndGetToken()).isEqualTo(token);
    assertThat(children(path)).containsExactly(node);
    assertThat(states).containsExactly(ConnectionState.SUSPENDED, ConnectionState.RECONNECTED);
    mutex.release();
    mutex.release();
  }

  @Test
  void nodeOfASessionThatOnlyTheClientGaveUpIsDeletedOnceConnected() throws Exception {
    CuratorFramework client = impatientClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    InterProcessMutex other = new InterProcessMutex(client(), path);
    long token = mutex.acquireAndGetToken();
    Action expiry = clientExpiry(client);
    whileZooKeeperIsAway(
        () -> {
          expiry.run();
          assertThatThrownBy(mutex::getToken).isInstanceOf(LeaseLostException.class);
          assertThat(other.acquire(0, TimeUnit.SECONDS)).as("the server has the node").isFalse();
        });

    assertThat(other.acquire(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();

    other.release();
    mutex.release();
    assertThat(mutex.acquireAndGetToken()).isGreaterThan(token);
    assertThat(onlyNode().getEphemeralOwner()).isEqualTo(session(client));
    mutex.release();
  }

  @Test
  void outagePastTheSessionIsALossAndTheNextAcquireGetsAHigherToken() throws Exception {
    CuratorFramework client = proxiedClient(builder -> builder.sessionTimeoutMs(1_000));
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    InterProcessFencedMutex successor = new InterProcessFencedMutex(client(), path);
    long token = mutex.acquireAndGetToken();

    proxy().silence();
    long higher = successor.acquireAndGetToken();
    eventually(() -> isLost(mutex));
    proxy().restore();

    mutex.release();
    successor.release();
    assertThat(higher).isGreaterThan(token);
    assertThat(mutex.acquireAndGetToken()).isGreaterThan(higher);
    mutex.release();
  }

  @Test
  void releaseOfALostHoldDoesNotThrowWhileZooKeeperIsAway() throws Exception {
    CuratorFramework client = impatientClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    mutex.acquire();
    Action expiry = clientExpiry(client);
    whileZooKeeperIsAway(
        () -> {
          expiry.run();

          mutex.release();

          assertThat(mutex.holds).isEmpty();
          assertThat(mutex.isAcquiredInThisProcess()).isFalse();
          assertThat(children(path)).as("nothing got through").hasSize(1);
        });
    soonNoChildren(); // the session lives on at the server
  }

  @Test
  void failedReleaseThrowsMayBeCalledAgainAndTheNodeGoesInTheBackground() throws Exception {
    CuratorFramework client = impatientClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    mutex.acquire();
    whileZooKeeperIsAway(
        () -> {
          for (int times = 0; times < 2; times++) {
            assertThatThrownBy(mutex::release)
                .isInstanceOf(KeeperException.ConnectionLossException.class);
            assertThat(mutex.isAcquiredInThisProcess()).isFalse();
            assertThat(mutex.isOwnedByCurrentThread()).isFalse();
            assertThatThrownBy(mutex::getToken).isInstanceOf(IllegalMonitorStateException.class);
          }
          assertThat(children(path)).hasSize(1);
        });
    awaitAnswer(client);
    within(Duration.ofSeconds(1), () -> children(path).isEmpty());
    mutex.release(); // also when the node is gone by then
    assertThat(mutex.holds).isEmpty();
    assertThatThrownBy(mutex::release).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void timedAcquireWhileZooKeeperIsAwayThrowsAndHoldsNothing() throws Exception {
    CuratorFramework client = impatientClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    whileZooKeeperIsAway(
        () -> {
          assertThatThrownBy(() -> mutex.acquireAndGetToken(Duration.ofMillis(100)))
              .isInstanceOf(KeeperException.ConnectionLossException.class);
          assertThat(mutex.holds).isEmpty();
          assertThatThrownBy(mutex::getToken).isInstanceOf(IllegalMonitorStateException.class);
        });
    awaitAnswer(client);
    assertThat(mutex.acquireAndGetToken()).isEqualTo(onlyNode().getCzxid());
    mutex.release();
  }

  @Test
  void closedClientLosesItsHoldsAndReleaseIsSilent() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease lease = new InterProcessFencedMutex(client, path + "-lease").acquireLease();
    mutex.acquire();

    client.close();

    assertThatThrownBy(mutex::getToken).isInstanceOf(LeaseLostException.class);
    assertThat(lease.isLive()).isFalse();
    mutex.release();
    lease.close();
    assertThat(mutex.holds).isEmpty();
    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
    awaitChildren(0);
    observer.delete(path + "-lease", -1);
  }

  @Test
  void closedClientEndsAnAcquireThatHasNoAnswerYet() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    proxy().silence();
    ThreadHold acquire = new ThreadHold(new InterProcessFencedMutex(client, path));
    eventually(acquire::isQueued);

    client.close();

    assertThatThrownBy(acquire::token).cause().isExactlyInstanceOf(IllegalStateException.class);
  }

  @Test
  void closedClientEndsAWait() throws Exception {
    InterProcessFencedMutex holder = new InterProcessFencedMutex(client(), path);
    holder.acquire();
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    ThreadHold waiter = new ThreadHold(mutex);
    eventually(waiter::isQueued);

    client.close();

    assertThatThrownBy(waiter::token).cause().isInstanceOf(IllegalStateException.class);
    assertThat(mutex.holds).isEmpty();
    awaitChildren(1);
    holder.release();
  }

  @Test
  void waiterWhoseSessionIsReplacedQueuesAgainWithANewNode() throws Exception {
    InterProcessFencedMutex holder = new InterProcessFencedMutex(client(), path);
    long first = holder.acquireAndGetToken();
    CuratorFramework client = client();
    long before = session(client);
    ThreadHold waiter = new ThreadHold(new InterProcessFencedMutex(client, path));
    eventually(waiter::isQueued);

    expireOnClient(client); // the server goes on listing the waiter's first node

    eventually(() -> owners().contains(session(client)) && !owners().contains(before));
    holder.release();
    long token = waiter.token();
    assertThat(token).isGreaterThan(first).isEqualTo(onlyNode().getCzxid());
    assertThat(onlyNode().getEphemeralOwner()).isEqualTo(session(client)).isNotEqualTo(before);
    waiter.release();
  }

  private List<Long> owners() throws Exception {
    List<Long> owners = new CopyOnWriteArrayList<>();
    for (String child : children(path)) {
      Stat stat = observer.exists(path + "/" + child, false);
      if (stat != null) {
        owners.add(stat.getEphemeralOwner());
      }
    }
    return owners;
  }

  private static boolean isLost(InterProcessFencedMutex mutex) {
    try {
      mutex.getToken();
      return false;
    } catch (LeaseLostException lost) {
      return true;
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
