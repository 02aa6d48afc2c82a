package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

/** Interrupted contenders leave nothing behind. */
abstract class InterruptContract extends ZooKeeperCase {

  private interface Wait {
    void run() throws Exception;
  }

  @Test
  void twentyWaitersInterruptedAtStaggeredTimesLeaveNoNode() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex holder = new InterProcessFencedMutex(client, path);
    InterProcessFencedMutex shared = new InterProcessFencedMutex(client, path);
    long token = holder.acquireAndGetToken();
    for (int round = 0; round < 3; round++) {
      List<Future<Boolean>> ends = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        InterProcessFencedMutex own = new InterProcessFencedMutex(client, path);
        Wait wait =
            switch (i % 4) {
              case 0 -> shared::acquire;
              case 1 -> own::acquireAndGetToken;
              case 2 -> own::acquireLease;
              default -> () -> shared.acquire(1, TimeUnit.HOURS);
            };
        SynchronousQueue<Thread> threads = new SynchronousQueue<>();
        ends.add(
            inThread(
                () -> {
                  threads.put(Thread.currentThread());
                  assertThatThrownBy(wait::run).isInstanceOf(InterruptedException.class);
                  return Thread.interrupted();
                }));
        Thread waiter = threads.take();
        // Not a wait for anything: it spreads the interrupts over create, list, watch and wait.
        LockSupport.parkNanos(Duration.ofNanos((i * 211_000L) % 4_000_000).toNanos());
        waiter.interrupt();
        if (i % 5 == 0) {
          LockSupport.parkNanos(100_000L * round);
          waiter.interrupt();
        }
      }
      for (Future<Boolean> end : ends) {
        assertThat(get(end)).as("interrupt status").isTrue();
      }
      // Its answer comes after those to all creates, so from here on nodes can only go.
      client.checkExists().forPath(path);
      awaitChildren(1);
    }
    assertThat(onlyNode().getCzxid()).isEqualTo(token).isEqualTo(holder.getToken());
    assertThat(shared.holds).isEmpty();
    assertThat(shared.isAcquiredInThisProcess()).isFalse();
    holder.release();
  }

  @Test
  void twoHundredWaitersInterruptedAtOnceLeaveNoNode() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease holder = mutex.acquireLease();
    List<ThreadHold> waiters = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      waiters.add(new ThreadHold(mutex));
    }
    awaitChildren(201);

    waiters.forEach(ThreadHold::interrupt);

    for (ThreadHold waiter : waiters) {
      assertThatThrownBy(waiter::token).cause().isInstanceOf(InterruptedException.class);
    }
    awaitChildren(1);
    assertThat(onlyNode().getCzxid()).isEqualTo(holder.token());
    assertThat(mutex.holds).isEmpty();
    holder.close();
  }

  @Test
  void interruptWhileTheCreateIsOnItsWayLeavesNoNode() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    Fault held = proxy().hold("-lock-");
    SynchronousQueue<Thread> threads = new SynchronousQueue<>();
    Future<Boolean> acquire =
        inThread(
            () -> {
              threads.put(Thread.currentThread());
              assertThatThrownBy(mutex::acquireAndGetToken)
                  .isInstanceOf(InterruptedException.class);
              return Thread.interrupted();
            });
    Thread thread = threads.take();
    held.await(Duration.ofSeconds(10));

    thread.interrupt();

    assertThat(get(acquire)).as("interrupt status").isTrue();
    assertThat(mutex.holds).isEmpty();
    held.release();
    // What was asked for before this acquire has been answered when it is granted.
    long token = mutex.acquireAndGetToken();
    eventually(() -> children(path).size() == 1);
    assertThat(onlyNode().getCzxid()).isEqualTo(token);
    mutex.release();
  }

  @Test
  void leaseOfAnInterruptedThreadLeavesNoNode() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    createParent(path);
    List<FencedLease> leases = new ArrayList<>();
    if (interruptedIn(() -> leases.add(mutex.acquireLease()))) {
      leases.add(mutex.acquireLease());
    }
    awaitChildren(1);
    assertThat(leases)
        .singleElement()
        .extracting(FencedLease::token)
        .isEqualTo(onlyNode().getCzxid());
    leases.get(0).close();
  }

  @Test
  void releaseOfALostHoldByAnInterruptedThreadIsSilent() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    mutex.acquire();
    expireOnClient(client);

    assertThat(interruptedIn(mutex::release)).as("threw").isFalse();

    assertThat(mutex.holds).isEmpty();
    soonNoChildren();
  }
}
