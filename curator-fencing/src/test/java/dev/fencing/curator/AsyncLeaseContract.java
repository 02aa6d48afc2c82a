package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;

/** Leases that nobody waits for on a thread. */
abstract class AsyncLeaseContract extends ZooKeeperCase {

  @Test
  void requestsAreGrantedInTurnOnTheLibrarysThreads() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease holder = mutex.acquireLease();
    List<CompletableFuture<String>> threads = new ArrayList<>();
    List<CompletableFuture<FencedLease>> requests = new ArrayList<>();
    CountDownLatch dependents = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      CompletableFuture<FencedLease> request = mutex.acquireLeaseAsync();
      threads.add(
          request.thenApply(
              lease -> {
                awaitUninterrupted(dependents); // so that it depends before the grant
                return Thread.currentThread().getName();
              }));
      requests.add(request);
      awaitChildren(i + 2);
    }
    dependents.countDown();
    assertThat(requests).noneMatch(CompletableFuture::isDone);

    long last = holder.token();
    holder.close();
    for (int i = 0; i < 3; i++) {
      // First, since whoever waits for a future itself helps to run what depends on it.
      assertThat(get(threads.get(i))).startsWith("fencing-callback-");
      FencedLease lease = get(requests.get(i));
      assertThat(lease.token()).isGreaterThan(last);
      assertThat(lease.isLive()).isTrue();
      assertThat(requests.subList(i + 1, 3)).noneMatch(CompletableFuture::isDone);
      last = lease.token();
      lease.close();
    }
  }

  @Test
  void requestThatIsCancelledOrTimesOutLeavesNoNode() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease holder = mutex.acquireLease();
    CompletableFuture<FencedLease> cancelled = mutex.acquireLeaseAsync();
    CompletableFuture<FencedLease> behind = mutex.acquireLeaseAsync();
    CompletableFuture<FencedLease> late =
        new InterProcessFencedMutex(client(), path)
            .acquireLeaseAsync()
            .orTimeout(50, TimeUnit.MILLISECONDS);
    assertThatThrownBy(late::get).hasCauseInstanceOf(TimeoutException.class);

    cancelled.cancel(false);

    awaitChildren(2);
    holder.close();
    get(behind).close();
    awaitChildren(0);
  }

  @Test
  void grantThatMeetsACancelledFutureIsReleasedAtOnce() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    createParent(path);
    int granted = 0;
    int cancelled = 0;
    // The pause spreads the cancel over create, reply and grant, on a slow machine too.
    for (int i = 0; granted < 50 || cancelled < 50; i++) {
      CompletableFuture<FencedLease> request = mutex.acquireLeaseAsync();
      LockSupport.parkNanos((i % 20) * (i * 1_000L));
      if (request.cancel(false)) {
        cancelled++;
      } else {
        request.join().close();
        granted++;
      }
    }
    FencedLease next = within(SOON, mutex.acquireLeaseAsync());
    awaitChildren(1);
    next.close();
  }

  @Test
  void leaseIsAskedForAndReleasedOnTheEventThread() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    CompletableFuture<FencedLease> asked = new CompletableFuture<>();
    CompletableFuture<String> closed = new CompletableFuture<>();
    client
        .checkExists()
        .inBackground(
            (source, event) -> {
              var unused = mutex.acquireLeaseAsync().thenAccept(asked::complete);
            })
        .forPath("/");
    FencedLease lease = get(asked);
    client
        .checkExists()
        .inBackground(
            (source, event) -> {
              lease.close();
              closed.complete(Thread.currentThread().getName());
            })
        .forPath("/");
    assertThat(get(closed)).contains("EventThread");
    assertThat(children(path)).isEmpty();
  }

  @Test
  void requestThatZooKeeperDoesNotAnswerFailsAndLeavesNoNode() throws Exception {
    CuratorFramework client = impatientClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    whileZooKeeperIsAway(
        () ->
            assertThatThrownBy(() -> get(mutex.acquireLeaseAsync()))
                .hasCauseInstanceOf(KeeperException.ConnectionLossException.class));
  }

  @Test
  void requestOfAClosedClientFails() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CompletableFuture<FencedLease> waiting = mutex.acquireLeaseAsync();
    awaitChildren(2);

    client.close();

    assertThatThrownBy(() -> get(waiting)).hasCauseInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> get(mutex.acquireLeaseAsync()))
        .hasCauseInstanceOf(IllegalStateException.class);
    awaitChildren(1);
    holder.close();
  }

  @Test
  void waitingRequestWhoseSessionEndsQueuesAgain() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CuratorFramework client = client();
    CompletableFuture<FencedLease> waiting =
        new InterProcessFencedMutex(client, path).acquireLeaseAsync();
    awaitChildren(2);
    long first = session(client);

    expireOnClient(client);

    eventually(() -> children(path).size() == 2 && session(client) != first);
    holder.close();
    FencedLease lease = get(waiting);
    awaitChildren(1);
    assertThat(lease.token()).isEqualTo(onlyNode().getCzxid());
    assertThat(onlyNode().getEphemeralOwner()).isEqualTo(session(client));
    lease.close();
  }

  @Test
  void requestWhoseNodeDataFailsWhenItQueuesAgainFails() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CuratorFramework client = client();
    AtomicBoolean fail = new AtomicBoolean();
    InterProcessFencedMutex mutex =
        new InterProcessFencedMutex(client, path) {
          @Override
          protected byte[] getLockNodeBytes() {
            if (fail.get()) {
              throw new UnsupportedOperationException("on purpose");
            }
            return new byte[0];
          }
        };
    CompletableFuture<FencedLease> waiting = mutex.acquireLeaseAsync();
    awaitChildren(2);
    fail.set(true);

    expireOnClient(client);

    assertThatThrownBy(() -> get(waiting)).hasRootCauseMessage("on purpose");
    assertThatThrownBy(() -> get(mutex.acquireLeaseAsync())).hasRootCauseMessage("on purpose");
    awaitChildren(1);
    holder.close();
  }

  @Test
  void closeAsyncDoesNotWaitAndWhatFollowsIsSentBehindIt() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease first = mutex.acquireLease();
    proxy().silence();

    CompletableFuture<Void> gone = first.closeAsync();
    CompletableFuture<FencedLease> next = mutex.acquireLeaseAsync();

    assertThat(first.isLive()).isFalse();
    assertThat(gone).isNotDone();
    proxy().restore();
    get(gone);
    FencedLease second = get(next);
    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(children(path)).hasSize(1);
    get(second.closeAsync());
    assertThat(children(path)).isEmpty();
    assertThat(second.closeAsync()).isCompleted();
  }

  @Test
  void closeAsyncGoesOnUntilZooKeeperAnswers() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    CompletableFuture<?>[] gone = new CompletableFuture<?>[1];
    whileZooKeeperIsAway(
        () -> {
          gone[0] = lease.closeAsync();
          assertThat(children(path)).hasSize(1);
        });
    awaitAnswer(client);
    within(Duration.ofSeconds(1), () -> children(path).isEmpty());
    get(gone[0]);
  }

  @Test
  void closeAsyncOfAClosedClientLeavesTheNodeToTheEndOfTheSession() throws Exception {
    CuratorFramework client = client();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();

    client.close();

    get(lease.closeAsync()); // lost, and so nothing is left to do
    assertThat(lease.isLive()).isFalse();
    awaitChildren(0);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
