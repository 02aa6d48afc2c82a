package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;

/** What InterProcessMutex promises; run against it and against the fenced mutex. */
abstract class DropInContract extends ZooKeeperCase {

  abstract InterProcessMutex newMutex(CuratorFramework client, String path);

  @Test
  void heldUntilTheLastReleaseOfAReentrantHold() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    InterProcessMutex other = newMutex(client(), path);

    mutex.acquire();
    mutex.acquire();
    assertThat(mutex.acquire(0, TimeUnit.SECONDS)).isTrue();
    assertThat(children(path)).hasSize(1);
    mutex.release();
    mutex.release();
    assertThat(other.acquire(0, TimeUnit.SECONDS)).isFalse();
    mutex.release();

    assertThat(other.acquire(0, TimeUnit.SECONDS)).isTrue();
    other.release();
  }

  @Test
  void releaseWithoutAHoldThrows() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    assertThatThrownBy(mutex::release).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void releaseByAnotherThreadThrowsAndKeepsTheLock() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    mutex.acquire();

    Future<?> release =
        inThread(
            () -> {
              mutex.release();
              return null;
            });
    assertThatThrownBy(() -> get(release)).cause().isInstanceOf(IllegalMonitorStateException.class);

    assertThat(mutex.isOwnedByCurrentThread()).isTrue();
    assertThat(children(path)).hasSize(1);
    mutex.release();
  }

  @Test
  void timedAcquireOfABusyLockReturnsFalseAndLeavesNoNode() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    InterProcessMutex other = newMutex(client(), path);
    mutex.acquire();

    long start = System.nanoTime();
    assertThat(other.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000L);
    assertThat(other.acquire(0, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(other.acquire(-1, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(other.isAcquiredInThisProcess()).isFalse();

    assertThat(children(path)).hasSize(1);
    mutex.release();
  }

  @Test
  void waitersAreServedInTheOrderOfTheirNodes() throws Exception {
    CuratorFramework client = client();
    InterProcessMutex mutex = newMutex(client, path);
    mutex.acquire();
    List<Integer> served = Collections.synchronizedList(new ArrayList<>());
    List<Future<?>> waiters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int waiter = i;
      InterProcessMutex own = newMutex(client, path);
      waiters.add(
          inThread(
              () -> {
                own.acquire();
                served.add(waiter);
                own.release();
                return null;
              }));
      awaitChildren(2 + i);
    }

    mutex.release();
    for (Future<?> waiter : waiters) {
      get(waiter);
    }
    assertThat(served).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void locallyKnownHoldsAreThoseOfThisProcessAndThread() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
    mutex.acquire();
    assertThat(mutex.isAcquiredInThisProcess()).isTrue();
    assertThat(mutex.isOwnedByCurrentThread()).isTrue();
    assertThat(get(inThread(mutex::isOwnedByCurrentThread))).isFalse();
    mutex.release();
    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
  }

  @Test
  void lockNodesHaveCuratorsNamesAndItsDefaultData() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    mutex.acquire();

    String name = children(path).get(0);
    assertThat(name).matches("_c_[0-9a-f-]{36}-lock-0000000000");
    assertThat(mutex.getParticipantNodes()).containsExactly(path + "/" + name);
    assertThat(observer.getData(path + "/" + name, false, null))
        .isEqualTo(CuratorFrameworkFactory.getLocalAddress());
    mutex.release();
  }

  @Test
  void holderIsToldOfARevocation() throws Exception {
    CuratorFramework client = client();
    InterProcessMutex mutex = newMutex(client, path);
    CountDownLatch asked = new CountDownLatch(1);
    mutex.makeRevocable(lock -> asked.countDown());
    mutex.acquire();

    Revoker.attemptRevoke(client(), mutex.getParticipantNodes().iterator().next());

    assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
    mutex.release();
  }

  @Test
  void interruptedWaiterThrowsKeepsItsInterruptStatusAndLeavesNoNode() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    InterProcessMutex other = newMutex(client(), path);
    mutex.acquire();
    CountDownLatch started = new CountDownLatch(1);
    Thread[] thread = new Thread[1];
    Future<Boolean> waiter =
        inThread(
            () -> {
              thread[0] = Thread.currentThread();
              started.countDown();
              assertThatThrownBy(other::acquire).isInstanceOf(InterruptedException.class);
              return Thread.interrupted();
            });
    started.await();
    awaitChildren(2);

    thread[0].interrupt();

    assertThat(get(waiter)).as("interrupt status").isTrue();
    awaitChildren(1);
    mutex.release();
  }

  @Test
  void acquireOfAnInterruptedThreadThrowsAndLeavesNoNode() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    createParent(path);
    if (interruptedIn(mutex::acquire)) {
      assertThat(mutex.isAcquiredInThisProcess()).isFalse();
      // Proof by a later node: what came before it on the same connection has been applied.
      mutex.acquire();
    }
    awaitChildren(1);
    mutex.release();
    awaitChildren(0);
  }

  @Test
  void releaseByAnInterruptedThreadGivesTheLockBack() throws Exception {
    InterProcessMutex mutex = newMutex(client(), path);
    mutex.acquire();
    interruptedIn(mutex::release);
    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
    awaitChildren(0);
  }

  @Test
  void foreignNodeWithoutASequenceDoesNotDisturb() throws Exception {
    CuratorFramework client = client();
    createParent(path);
    client.create().withMode(CreateMode.EPHEMERAL).forPath(path + "/note");
    InterProcessMutex mutex = newMutex(client, path);
    mutex.acquire();
    mutex.release();
    client.delete().forPath(path + "/note");
    awaitChildren(0);
  }
}
