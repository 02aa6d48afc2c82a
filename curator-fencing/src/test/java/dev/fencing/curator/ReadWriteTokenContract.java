package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.fencing.fixtures.Fault;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the fenced read/write lock adds to Curator's, and where it is more honest. */
abstract class ReadWriteTokenContract extends ZooKeeperCase {

  private InterProcessFencedReadWriteLock lock(CuratorFramework client) {
    return new InterProcessFencedReadWriteLock(client, path);
  }

  private static boolean isLost(InterProcessFencedMutex mutex) {
    return mutex.holds.values().iterator().next().node().isLost();
  }

  @Test
  void tokensRiseWithWriteGrantsAndReadGrantsHaveNone() throws Exception {
    InterProcessFencedReadWriteLock lock = lock(client());
    InterProcessFencedReadWriteLock other = lock(client());
    assertThat(lock.readLock()).isNotInstanceOf(InterProcessFencedMutex.class);
    List<Long> tokens = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      long token = lock.writeLock().acquireAndGetToken();
      assertThat(token).isEqualTo(onlyNode().getCzxid());
      lock.readLock().acquire();
      assertThat(lock.writeLock().getToken()).as("while reading too").isEqualTo(token);
      assertThat(lock.writeLock().acquireAndGetToken()).as("re-entry").isEqualTo(token);
      lock.writeLock().release();
      lock.writeLock().release();
      assertThatThrownBy(lock.writeLock()::getToken)
          .as("downgraded")
          .isInstanceOf(IllegalMonitorStateException.class);
      lock.readLock().release();
      tokens.add(token);

      other.readLock().acquire();
      assertThatThrownBy(other.writeLock()::getToken)
          .isInstanceOf(IllegalMonitorStateException.class);
      other.readLock().release();

      try (FencedLease lease = other.writeLock().acquireLease()) {
        tokens.add(lease.token());
      }
      try (FencedLease lease = get(other.writeLock().acquireLeaseAsync())) {
        tokens.add(lease.token());
      }
    }
    assertThat(tokens).hasSize(9).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void leaseOfTheWriteLockExcludesEverybodyAndBelongsToNoThread() throws Exception {
    InterProcessFencedReadWriteLock lock = lock(client());
    try (FencedLease lease = lock.writeLock().acquireLease()) {
      assertThat(lock.readLock().acquire(0, TimeUnit.SECONDS)).isFalse();
      assertThat(lock.writeLock().acquireAndGetToken(Duration.ZERO)).isEmpty();
      assertThat(lock.writeLock().acquireLease(Duration.ZERO)).isEmpty();
      awaitChildren(1);
      assertThat(onlyNode().getCzxid()).isEqualTo(lease.token());
    }
    lock.readLock().acquire();
    assertThat(lock.writeLock().acquireLease(Duration.ZERO)).isEmpty();
    lock.readLock().release();
  }

  @Test
  void upgradeWithoutABoundIsRefusedInsteadOfWaitingForItself() throws Exception {
    InterProcessFencedReadWriteLock lock = lock(client());
    lock.readLock().acquire();
    List<ThrowingCallable> ways =
        List.of(
            lock.writeLock()::acquire,
            lock.writeLock()::acquireAndGetToken,
            lock.writeLock()::acquireLease);
    for (ThrowingCallable way : ways) {
      assertThatThrownBy(way)
          .isExactlyInstanceOf(IllegalStateException.class)
          .hasMessageContaining(path)
          .hasMessageContaining("release the read lock first");
    }
    assertThat(lock.writeLock().acquireAndGetToken(Duration.ZERO)).isEmpty();
    awaitChildren(1);
    lock.readLock().release();
  }

  @Test
  void writeHoldAndTheReadHoldTakenThroughItAreLostTogetherAndReleasedSilently() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    InterProcessFencedReadWriteLock successor = lock(client());
    long token = lock.writeLock().acquireAndGetToken();
    lock.readLock().acquire();

    expireOnServer(client);
    long higher = successor.writeLock().acquireAndGetToken();
    proxy().cut();
    eventually(() -> isLost(lock.writeLock()));

    assertLost(lock.readLock()::acquire, 0);
    assertLost(lock.writeLock()::acquire, token);
    assertLost(lock.writeLock()::getToken, token);
    lock.writeLock().release();
    assertLost(lock.readLock()::acquire, 0);
    assertLost(lock.writeLock()::acquire, 0);
    assertLost(() -> lock.writeLock().acquire(0, TimeUnit.SECONDS), 0);
    lock.readLock().release();

    client.checkExists().forPath(path); // Connected again.
    assertThat(lock.readLock().acquire(0, TimeUnit.SECONDS)).as("busy").isFalse();
    awaitChildren(1);
    assertThat(onlyNode().getCzxid()).isEqualTo(higher).isEqualTo(successor.writeLock().getToken());
    successor.writeLock().release();
    assertThat(lock.writeLock().acquireAndGetToken()).isGreaterThan(higher);
    lock.readLock().acquire();
    lock.writeLock().release();
    lock.readLock().release();
  }

  @Test
  void lostWriteHoldGivesNoReadLockAndTheReadHoldMayBeReleasedFirst() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    long token = lock.writeLock().acquireAndGetToken();
    expireOnServer(client);
    proxy().cut();
    eventually(() -> isLost(lock.writeLock()));
    assertLost(lock.readLock()::acquire, token);
    assertThatThrownBy(lock.readLock()::release).isInstanceOf(IllegalMonitorStateException.class);
    lock.writeLock().release();

    client.blockUntilConnected(10, TimeUnit.SECONDS);
    lock.writeLock().acquire();
    lock.readLock().acquire();
    expireOnServer(client);
    proxy().cut();
    eventually(() -> isLost(lock.writeLock()));
    lock.readLock().release();
    lock.writeLock().release();
    soonNoChildren();
  }

  private void assertLost(ThrowingCallable use, long token) {
    assertThatThrownBy(use)
        .asInstanceOf(type(LeaseLostException.class))
        .satisfies(
            lost -> {
              assertThat(lost.lockPath()).isEqualTo(path);
              assertThat(lost.token()).isEqualTo(token);
              assertThat(lost).hasMessageContaining(path).hasMessageContaining("session");
            });
  }

  @Test
  void readLockThroughAWriteHoldThatIsLostWithoutBeingKnownIsNotGranted() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    InterProcessFencedReadWriteLock successor = lock(client());
    long token = lock.writeLock().acquireAndGetToken();
    ThreadHold next = new ThreadHold(successor.writeLock());
    awaitChildren(2);

    // The read is asked for while the hold still looks sound, and its create goes into a session
    // of which the hold is not.
    Fault create = proxy().hold("-__READ__");
    Future<?> expiry =
        inThread(
            () -> {
              create.await(SOON);
              expireOnServer(client);
              assertThat(next.token()).isGreaterThan(token);
              create.drop();
              create.cutClient();
              return null;
            });

    assertLost(lock.readLock()::acquire, token);

    get(expiry);
    awaitChildren(1);
    assertThat(onlyNode().getCzxid()).isEqualTo(next.token());
    assertThat(lock.readLock().isOwnedByCurrentThread()).isFalse();
    lock.writeLock().release();
    next.release();
  }

  @Test
  void lostReaderIsToldAndItsWriterBehindIsServed() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    lock.readLock().acquire();
    ThreadHold writer = new ThreadHold(lock(client()).writeLock());
    awaitChildren(2);

    expireOnServer(client);
    long token = writer.token();
    proxy().cut();

    eventually(() -> throwsLost(lock.readLock()::acquire, lock.readLock()::release));
    assertLost(lock.readLock()::acquire, 0);
    lock.readLock().release();
    assertThatThrownBy(lock.readLock()::release).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(onlyNode().getCzxid()).isEqualTo(token);
    writer.release();
  }

  /** Whether it throws; undoes it if it does not. */
  private static boolean throwsLost(Action use, Action undo) throws Exception {
    try {
      use.run();
    } catch (LeaseLostException e) {
      return true;
    }
    undo.run();
    return false;
  }

  @Test
  void waitingReaderWhoseSessionIsReplacedQueuesAgainWithANewNode() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock holder = lock(client());
    holder.writeLock().acquire();
    InterProcessFencedReadWriteLock lock = lock(client);
    CountDownLatch leave = new CountDownLatch(1);
    CountDownLatch in = new CountDownLatch(1);
    Future<?> reader =
        inThread(
            () -> {
              lock.readLock().acquire();
              in.countDown();
              leave.await();
              lock.readLock().release();
              return null;
            });
    awaitChildren(2);
    List<String> first = children(path);

    expireOnServer(client);
    awaitChildren(1);
    proxy().cut();
    awaitChildren(2);
    assertThat(children(path)).isNotEqualTo(first);
    assertThat(in.getCount()).isEqualTo(1);

    holder.writeLock().release();
    assertThat(in.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(onlyNode().getEphemeralOwner()).isEqualTo(session(client));
    leave.countDown();
    get(reader);
  }

  @Test
  void disconnectWithinTheSessionLosesNeitherSide() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    long token = lock.writeLock().acquireAndGetToken();
    lock.readLock().acquire();

    proxy().cut();
    client.checkExists().forPath(path);

    assertThat(lock.writeLock().getToken()).isEqualTo(token);
    lock.readLock().acquire();
    lock.writeLock().release();
    lock.readLock().release();
    lock.readLock().release();
    awaitChildren(0);
  }

  @Test
  void lostReplyToTheReadNodeOfAWriterLeavesOneAndItIsGranted() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    lock.writeLock().acquire();
    Fault lost = proxy().dropReplyTo("-__READ__");

    lock.readLock().acquire();

    lost.await(SOON);
    assertThat(children(path)).hasSize(2);
    lock.writeLock().release();
    Stat node = onlyNode();
    assertThat(node.getEphemeralOwner()).isEqualTo(session(client));
    assertThat(lock(client()).writeLock().acquireAndGetToken(Duration.ZERO)).isEmpty();
    lock.readLock().release();
  }

  @Test
  void interruptWhileTheReadNodeOfAWriterIsOnItsWayLeavesOnlyTheWriteNode() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedReadWriteLock lock = lock(client);
    long token = lock.writeLock().acquireAndGetToken();
    Fault held = proxy().hold("-__READ__");
    Thread holder = Thread.currentThread();
    Future<?> interrupt =
        inThread(
            () -> {
              held.await(SOON);
              holder.interrupt();
              return null;
            });

    assertThatThrownBy(lock.readLock()::acquire).isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).isTrue();
    get(interrupt);
    held.release();
    lock.readLock().acquire(); // Its create is sent behind the other.
    eventually(() -> children(path).size() == 2);
    lock.readLock().release();
    assertThat(onlyNode().getCzxid()).isEqualTo(token);
    lock.writeLock().release();
  }

  @Test
  void namespaceAndLockDataApplyToBothSides() throws Exception {
    CuratorFramework client = client(port(), builder -> builder.namespace(path.substring(1)));
    byte[] data = "node 7".getBytes(StandardCharsets.US_ASCII);
    InterProcessFencedReadWriteLock lock = new InterProcessFencedReadWriteLock(client, "/rw", data);
    data[0] = 'N'; // It is a copy that is written.
    lock.writeLock().acquire();
    lock.readLock().acquire();

    List<String> nodes = children(path + "/rw");
    assertThat(nodes).hasSize(2);
    for (String node : nodes) {
      assertThat(observer.getData(path + "/rw/" + node, false, null))
          .asString(StandardCharsets.US_ASCII)
          .isEqualTo("node 7");
    }
    lock.writeLock().release();
    lock.readLock().release();
    assertThat(children(path + "/rw")).isEmpty();
    observer.delete(path + "/rw", -1);
  }
}
