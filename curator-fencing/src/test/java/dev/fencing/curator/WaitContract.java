package dev.fencing.curator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.curator.RetryPolicy;
import org.apache.curator.RetrySleeper;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Waiting: what ends it, what does not, and how long it lasts at most. */
abstract class WaitContract extends ZooKeeperCase {

  /** What a timed acquire may take on top of its bound, and as much again for a busy machine. */
  private static final Duration OVERTIME = Duration.ofSeconds(2);

  @Test
  void timedAcquireKeepsItsBoundWhileTheEventThreadIsBlocked() throws Exception {
    CuratorFramework client = client();
    createParent(path);
    CountDownLatch unblock = blockEventThread(client);

    assertEndsInTime(new InterProcessFencedMutex(client, path));

    awaitChildren(1); // Its create was applied, and only the event thread can tell.
    unblock.countDown();
    within(Duration.ofSeconds(1), () -> children(path).isEmpty());
  }

  @Test
  void timedAcquireKeepsItsBoundWhileZooKeeperDoesNotAnswer() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    proxy().silence();

    assertEndsInTime(mutex);

    proxy().restore();
    awaitAnswer(client);
    assertThat(mutex.acquireAndGetToken(SOON)).isPresent(); // Nothing is left in front of it.
    mutex.release();
  }

  @Test
  void timedAcquireKeepsItsBoundWhileConnectionsAreReset() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    whileZooKeeperIsAway(() -> assertEndsInTime(mutex));
  }

  private static void assertEndsInTime(InterProcessFencedMutex mutex) {
    Duration bound = Duration.ofMillis(300);
    long start = System.nanoTime();
    assertThatThrownBy(() -> mutex.acquireAndGetToken(bound))
        .isInstanceOf(KeeperException.ConnectionLossException.class)
        .hasMessageContaining("300 of them");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(bound, bound.plus(OVERTIME));
    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
  }

  @Test
  void blockingCallOnAThreadThatDeliversEventsFailsAtOnce() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    CompletableFuture<List<Throwable>> onEventThread = new CompletableFuture<>();
    client
        .checkExists()
        .inBackground((source, event) -> onEventThread.complete(failures(mutex)))
        .forPath("/");
    CompletableFuture<List<Throwable>> inListener = new CompletableFuture<>();
    client
        .getConnectionStateListenable()
        .addListener((source, state) -> inListener.complete(failures(mutex)));
    proxy().cut();

    for (CompletableFuture<List<Throwable>> each : List.of(onEventThread, inListener)) {
      assertThat(get(each))
          .hasSize(4)
          .allSatisfy(
              e ->
                  assertThat(e)
                      .isExactlyInstanceOf(IllegalStateException.class)
                      .hasMessageContaining(path)
                      .hasMessageContaining("acquireLeaseAsync"));
    }
    assertThat(observer.exists(path, false)).as("the lock path").isNull();
  }

  private static List<Throwable> failures(InterProcessFencedMutex mutex) {
    List<ThrowingCallable> calls =
        List.of(
            mutex::acquire,
            () -> mutex.acquire(1, TimeUnit.SECONDS),
            mutex::acquireLease,
            () -> mutex.acquireLease(Duration.ofSeconds(1)));
    List<Throwable> failures = new ArrayList<>();
    for (ThrowingCallable call : calls) {
      try {
        call.call();
      } catch (Throwable e) {
        failures.add(e);
      }
    }
    return failures;
  }

  @Test
  void revocationOrDisconnectIsNotTakenForTheReleaseOfThePredecessor() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    String holders = path + "/" + children(path).get(0);
    CuratorFramework client = proxiedClient();
    ThreadHold waiter = new ThreadHold(new InterProcessFencedMutex(client, path));
    awaitChildren(2);
    eventually(() -> watchesAtTheServer() > 0);

    for (int times = 0; times < 3; times++) {
      observer.setData(holders, "__REVOKE__".getBytes(UTF_8), -1);
      client.checkExists().forPath(path); // The event is older than this answer.
      proxy().cut();
      eventually(() -> !client.getZookeeperClient().isConnected());
      awaitAnswer(client);
      assertThat(waiter.isGranted()).isFalse();
      eventually(() -> watchesAtTheServer() > 0);
    }

    holder.close();
    assertThat(waiter.token()).isGreaterThan(holder.token());
    waiter.release();
  }

  @Test
  void waiterBehindALocalNeighbourIsGrantedThoughTheNeighbourGivesUp() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease holder = mutex.acquireLease();
    ThreadHold impatient = new ThreadHold(mutex);
    awaitChildren(2);
    ThreadHold last = new ThreadHold(mutex);
    awaitChildren(3);

    impatient.interrupt();

    awaitChildren(2);
    assertThat(last.isGranted()).isFalse();
    holder.close();
    assertThat(last.token()).isGreaterThan(holder.token());
    last.release();
  }

  @Test
  void waiterBehindALocalHolderIsGrantedThoughSomebodyElseDeletesItsNode() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease holder = mutex.acquireLease();
    String node = path + "/" + children(path).get(0);
    ThreadHold waiter = new ThreadHold(mutex);
    awaitChildren(2);

    observer.delete(node, -1);

    assertThat(waiter.token()).isGreaterThan(holder.token());
    waiter.release();
    holder.close();
  }

  @Test
  void waiterBehindALocalHolderIsGrantedThoughTheReleaseFailed() throws Exception {
    CuratorFramework client = impatientClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    mutex.acquire();
    ThreadHold waiter = new ThreadHold(mutex);
    awaitChildren(2);
    awaitCaughtUp(client);
    whileZooKeeperIsAway(
        () ->
            assertThatThrownBy(mutex::release)
                .isInstanceOf(KeeperException.ConnectionLossException.class));

    assertThat(waiter.token()).isEqualTo(onlyNode().getCzxid());
    waiter.release();
    mutex.release();
  }

  @Test
  void lockPathThatIsDeletedUnderAHolderDoesNotLetItsNeighbourIn() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease first = mutex.acquireLease();
    deleteLockPath();
    FencedLease other = new InterProcessFencedMutex(client(), path).acquireLease();
    CompletableFuture<FencedLease> next = mutex.acquireLeaseAsync(); // Its number follows first's.
    awaitChildren(2);

    first.close();

    assertThatThrownBy(() -> within(Duration.ofMillis(200), next))
        .isInstanceOf(TimeoutException.class);
    other.close();
    assertThat(get(next).token()).isGreaterThan(other.token());
    get(next).close();
  }

  @Test
  void waiterWhoseNodeIsDeletedWithTheLockPathQueuesAgain() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease first = mutex.acquireLease();
    CompletableFuture<FencedLease> next = mutex.acquireLeaseAsync();
    awaitChildren(2);
    deleteLockPath();
    FencedLease other = new InterProcessFencedMutex(client(), path).acquireLease();

    first.close();

    awaitChildren(2);
    assertThat(next).isNotDone();
    other.close();
    assertThat(get(next).token()).isGreaterThan(other.token());
    get(next).close();
  }

  private void deleteLockPath() throws Exception {
    for (String child : children(path)) {
      observer.delete(path + "/" + child, -1);
    }
    observer.delete(path, -1);
  }

  @Test
  void chrootThatDoesNotExistIsReportedAndNotAskedForAgainAndAgain() throws Exception {
    CuratorFramework client =
        client(port(), builder -> builder.connectString("127.0.0.1:" + port() + path));
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, "/lock");
    assertThatThrownBy(mutex::acquire).isInstanceOf(KeeperException.NoNodeException.class);
    assertThatThrownBy(() -> mutex.acquire(5, TimeUnit.SECONDS))
        .isInstanceOf(KeeperException.NoNodeException.class);
  }

  @Test
  void retryPolicyThatFailsEndsTheAcquireAndNoNodeIsLeft() throws Exception {
    RetryPolicy failing =
        new RetryNTimes(5, 10) {
          @Override
          public boolean allowRetry(int retries, long elapsed, RetrySleeper sleeper) {
            throw new UnsupportedOperationException("on purpose");
          }
        };
    CuratorFramework client = proxiedClient(builder -> builder.retryPolicy(failing));
    createParent(path);
    Fault lost = proxy().dropReplyTo("-lock-");
    ThreadHold acquire = new ThreadHold(new InterProcessFencedMutex(client, path));
    lost.await(SOON);

    assertThatThrownBy(acquire::token).hasRootCauseMessage("on purpose");
    soonNoChildren();
  }

  @Test
  void fourHundredWaitersAreAllServedInTheOrderOfTheirTokens() throws Exception {
    InterProcessFencedMutex[] mutexes = {
      new InterProcessFencedMutex(client(), path), new InterProcessFencedMutex(client(), path)
    };
    FencedLease holder = mutexes[0].acquireLease();
    List<Long> grants = new ArrayList<>(); // Guarded by the lock under test.
    List<Future<Void>> waiters = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      InterProcessFencedMutex mutex = mutexes[i % 2];
      waiters.add(
          inThread(
              () -> {
                grants.add(mutex.acquireAndGetToken());
                mutex.release();
                return null;
              }));
    }
    awaitChildren(401);

    holder.close();

    for (Future<Void> waiter : waiters) {
      get(waiter);
    }
    assertThat(grants).hasSize(400).isSorted().doesNotHaveDuplicates();
  }
}
