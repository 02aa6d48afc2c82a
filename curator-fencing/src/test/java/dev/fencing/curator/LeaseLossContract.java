package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

/** The holder of a lease learns of its loss, once. */
abstract class LeaseLossContract extends ZooKeeperCase {

  private final BlockingQueue<FencedLease> lost = new LinkedBlockingQueue<>();

  @Test
  void listenerIsToldOnceOfTheEndOfTheSession() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    BlockingQueue<String> threads = new LinkedBlockingQueue<>();
    lease.onLost(lost::add);
    lease.onLost(each -> threads.add(Thread.currentThread().getName()));
    long first = session(client);

    expireOnServer(client);
    proxy().cut();

    assertThat(lost.poll(20, TimeUnit.SECONDS)).isSameAs(lease);
    assertThat(lease.isLive()).isFalse();
    assertThat(threads.poll(20, TimeUnit.SECONDS)).startsWith("fencing-callback-");
    eventually(() -> session(client) != first);
    lease.close();
    assertNotToldAgain(lease);
  }

  @Test
  void listenerIsToldThatSomebodyDeletedTheNode() throws Exception {
    FencedLease lease = new InterProcessFencedMutex(client(), path).acquireLease();
    lease.onLost(lost::add);
    String node = path + "/" + children(path).get(0);
    observer.setData(node, new byte[] {1}, -1); // After which the watch has to be set anew.

    observer.delete(node, -1);

    assertThat(lost.poll(20, TimeUnit.SECONDS)).isSameAs(lease);
    assertThatThrownBy(lease::requireLive)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("deleted its node");
    lease.close();
    assertNotToldAgain(lease);
  }

  @Test
  void listenerOfALostLeaseIsToldAtOnceAndOneOfAClosedLeaseNever() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease closed = mutex.acquireLease();
    closed.onLost(lost::add);
    closed.close();
    closed.onLost(lost::add);
    FencedLease lease = mutex.acquireLease();
    expireOnClient(client);
    assertThat(lease.isLive()).isFalse();

    lease.onLost(lost::add);

    assertThat(lost.poll(20, TimeUnit.SECONDS)).isSameAs(lease);
    assertNotToldAgain(lease);
  }

  @Test
  void listenerThatFailsDoesNotKeepTheOthersFromBeingTold() throws Exception {
    CuratorFramework client = client();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    lease.onLost(
        each -> {
          throw new IllegalStateException("on purpose");
        });
    lease.onLost(lost::add);

    expireOnClient(client);

    assertThat(lost.poll(20, TimeUnit.SECONDS)).isSameAs(lease);
  }

  @Test
  void listenerIsToldThoughTheEventThreadIsBlocked() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    lease.onLost(lost::add);
    assertThat(lease.verify(SOON)).isTrue(); // So the answer to the watch is behind us.
    CountDownLatch unblock = blockEventThread(client);

    expireOnServer(client);
    proxy().cut();

    assertThat(lost.poll(20, TimeUnit.SECONDS)).isSameAs(lease);
    unblock.countDown();
  }

  @Test
  void disconnectWithinTheSessionTellsNobodyAndKeepsTheNodeWatched() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    whileZooKeeperIsAway(() -> lease.onLost(lost::add)); // The request for the watch fails.
    awaitAnswer(client);
    assertThat(lease.verify(SOON)).isTrue();
    assertThat(lost).isEmpty();

    observer.delete(path + "/" + children(path).get(0), -1);

    assertThat(lost.poll(20, TimeUnit.SECONDS)).isSameAs(lease);
  }

  @Test
  void hundredsOfLeasesThatAreLostAtOnceAreAllToldWithoutAThreadEach() throws Exception {
    CuratorFramework client = client();
    CountDownLatch busy = new CountDownLatch(1);
    int leases = 600;
    for (int i = 0; i < leases; i++) {
      FencedLease lease =
          new InterProcessFencedMutex(client, path + "/" + i).acquireLeaseAsync().get();
      lease.onLost(
          each -> {
            lost.add(each);
            awaitUninterrupted(busy);
          });
    }

    expireOnClient(client);

    eventually(() -> lost.size() >= 200);
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("fencing-callback-"))
            .count();
    assertThat(threads).isLessThan(leases / 2);
    busy.countDown();
    eventually(() -> lost.size() == leases);
    for (int i = 0; i < leases; i++) {
      String lock = path + "/" + i;
      eventually(() -> children(lock).isEmpty());
      observer.delete(lock, -1);
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void verifyAsksZooKeeper() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease lease = mutex.acquireLease();
    assertThat(lease.verify(SOON)).isTrue();
    assertThat(lease.verify(Duration.ZERO)).isFalse();
    assertThat(lease.verify(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    assertThat(lease.isLive()).isTrue();

    observer.delete(path + "/" + children(path).get(0), -1);

    assertThat(lease.isLive()).as("nothing tells it").isTrue();
    assertThat(lease.verify(SOON)).isFalse();
    assertThat(lease.isLive()).isFalse();
    FencedLease closed = mutex.acquireLease();
    closed.close();
    assertThat(closed.verify(SOON)).isFalse();
  }

  @Test
  void verifyWithoutAnAnswerIsFalseWithinItsBoundAndChangesNothing() throws Exception {
    CuratorFramework client = proxiedClient();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    proxy().silence();

    assertThat(lease.verify(Duration.ofMillis(50))).isFalse();

    assertThat(lease.isLive()).isTrue();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> lease.verify(SOON)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).as("interrupt status").isTrue();
    proxy().restore();
    assertThat(lease.verify(SOON)).isTrue();
    lease.close();
  }

  @Test
  void verifyOnTheEventThreadFailsAtOnce() throws Exception {
    CuratorFramework client = client();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    client
        .checkExists()
        .inBackground(
            (source, event) -> {
              try {
                answer.complete(lease.verify(SOON));
              } catch (IllegalStateException e) {
                answer.completeExceptionally(e);
              }
            })
        .forPath("/");
    assertThatThrownBy(() -> get(answer)).hasCauseInstanceOf(IllegalStateException.class);
    lease.close();
  }

  /** Whatever is told later is told behind this. */
  private void assertNotToldAgain(FencedLease lease) throws Exception {
    CompletableFuture<Void> behind = new CompletableFuture<>();
    Callbacks.users().execute(() -> behind.complete(null));
    get(behind);
    assertThat(List.copyOf(lost)).as("told again of " + lease).isEmpty();
  }
}
