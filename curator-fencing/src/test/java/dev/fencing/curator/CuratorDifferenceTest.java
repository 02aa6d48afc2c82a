package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Where InterProcessMutex is wrong and the fenced mutex is not: both go through the same, and each
 * test asserts both outcomes. What they have in common is in {@link DropInContract}.
 */
@Execution(ExecutionMode.SAME_THREAD) // they count at the server
class CuratorDifferenceTest extends ZooKeeperCase {

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

  @AfterEach
  void leaveNoPlainNode() throws Exception {
    eventually(() -> children(plainPath()).isEmpty());
    if (observer.exists(plainPath(), false) != null) {
      observer.delete(plainPath(), -1);
    }
  }

  private String plainPath() {
    return path + "-plain";
  }

  private InterProcessMutex plain(CuratorFramework client) {
    return new InterProcessMutex(client, plainPath());
  }

  private InterProcessFencedMutex fenced(CuratorFramework client) {
    return new InterProcessFencedMutex(client, path);
  }

  @Test
  void plainReentryAfterTheLossSucceedsWithoutALockAndTheFencedOneThrows() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessMutex plain = plain(client);
    InterProcessFencedMutex fenced = fenced(client);
    plain.acquire();
    long token = fenced.acquireAndGetToken();

    expireOnServer(client);
    InterProcessMutex successorOfPlain = plain(client());
    successorOfPlain.acquire();
    FencedLease successor = fenced(client()).acquireLease();
    proxy().cut();
    eventually(() -> isLost(fenced));

    assertThat(plain.acquire(0, TimeUnit.SECONDS)).as("a second holder").isTrue();
    assertThatThrownBy(() -> fenced.acquire(0, TimeUnit.SECONDS))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(Long.toString(token));

    plain.release();
    plain.release();
    fenced.release();
    successorOfPlain.release();
    successor.close();
  }

  @Test
  void plainHolderIsToldNothingOfTheLossAndTheFencedOneIsWhenItAsks() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessMutex plain = plain(client);
    InterProcessFencedMutex fenced = fenced(client);
    plain.acquire();
    fenced.acquire();

    expireOnServer(client);
    proxy().cut();
    eventually(() -> isLost(fenced));

    assertThat(children(plainPath())).as("the plain holder's node").isEmpty();
    assertThat(plain.isAcquiredInThisProcess()).isTrue();
    assertThat(plain.isOwnedByCurrentThread()).isTrue();
    plain.release();
    assertThatThrownBy(fenced::getToken).isInstanceOf(LeaseLostException.class);
    fenced.release();
  }

  @Test
  void plainReleaseAfterTheClientsCloseHidesTheErrorAndTheFencedOneDoesNot() throws Exception {
    CuratorFramework client = client();
    InterProcessMutex plain = plain(client);
    InterProcessFencedMutex fenced = fenced(client);
    plain.acquire();
    fenced.acquire();

    client.close();

    assertThatThrownBy(() -> failAndRelease(plain))
        .isInstanceOf(IllegalStateException.class)
        .isNotInstanceOf(WorkFailed.class);
    assertThatThrownBy(() -> failAndRelease(fenced)).isInstanceOf(WorkFailed.class);
  }

  private static final class WorkFailed extends IllegalStateException {
    private static final long serialVersionUID = 1L;
  }

  private static void failAndRelease(InterProcessMutex mutex) throws Exception {
    try {
      throw new WorkFailed();
    } finally {
      mutex.release();
    }
  }

  @Test
  void plainReleaseWakesEveryWaiterOfTheObjectAndTheFencedOneTheNext() throws Exception {
    int waiters = 40;

    assertThat(requestsToServe(waiters, plain(client()), plainPath()))
        .isGreaterThan((long) waiters * waiters / 2);
    assertThat(requestsToServe(waiters, fenced(client()), path)).isLessThan(6L * waiters);
  }

  /** Counts the requests from the release in front of the waiters to the release by the last. */
  private long requestsToServe(int count, InterProcessMutex mutex, String lockPath)
      throws Exception {
    List<Future<?>> waiters = new ArrayList<>();
    mutex.acquire();
    for (int i = 0; i < count; i++) {
      waiters.add(
          inThread(
              () -> {
                mutex.acquire();
                mutex.release();
                return null;
              }));
    }
    eventually(() -> children(lockPath).size() == count + 1);
    eventually(() -> watchesAtTheServer() >= count);
    long before = requests();
    mutex.release();
    for (Future<?> waiter : waiters) {
      get(waiter);
    }
    return requests() - before;
  }

  @Test
  void plainTimedAcquireOutlastsItsBoundWhileNothingAnswersAndTheFencedOneDoesNot()
      throws Exception {
    CuratorFramework client =
        proxiedClient(
            builder ->
                builder
                    .sessionTimeoutMs(3_000)
                    .connectionTimeoutMs(500)
                    .retryPolicy(new RetryOneTime(50)));
    createParent(path);
    createParent(plainPath());
    Duration bound = Duration.ofMillis(200);

    proxy().silence();
    Future<Duration> plain = inThread(() -> failingAcquire(plain(client), bound));
    Future<Duration> fenced = inThread(() -> failingAcquire(fenced(client), bound));

    assertThat(get(fenced)).isBetween(bound, bound.plusSeconds(2));
    assertThat(get(plain)).isGreaterThan(bound.plusSeconds(3));
    proxy().restore();
  }

  private static Duration failingAcquire(InterProcessMutex mutex, Duration bound) {
    long start = System.nanoTime();
    assertThatThrownBy(() -> mutex.acquire(bound.toMillis(), TimeUnit.MILLISECONDS))
        .isInstanceOf(Exception.class);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  void plainAcquireOnTheEventThreadMissesTheReleaseAndTheFencedOneIsRefused() throws Exception {
    CuratorFramework client = client();
    Duration bound = Duration.ofMillis(500);
    InterProcessMutex holder = plain(client());
    holder.acquire();
    InterProcessMutex plain = plain(client);
    CompletableFuture<Thread> eventThread = new CompletableFuture<>();
    long start = System.nanoTime();

    CompletableFuture<Boolean> acquired =
        onEventThread(
            client,
            () -> {
              eventThread.complete(Thread.currentThread());
              boolean done = plain.acquire(bound.toMillis(), TimeUnit.MILLISECONDS);
              if (done) {
                plain.release();
              }
              return done;
            });
    Thread waiting = get(eventThread);
    eventually(() -> waiting.getState() == Thread.State.TIMED_WAITING); // its watch being set
    holder.release();

    get(acquired);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("though the lock was free before")
        .isGreaterThan(bound);
    assertThatThrownBy(
            () -> get(onEventThread(client, () -> fenced(client).acquire(1, TimeUnit.SECONDS))))
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("hand the work to an executor");
  }

  private static <T> CompletableFuture<T> onEventThread(CuratorFramework client, Callable<T> work)
      throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    client
        .checkExists()
        .inBackground(
            (source, event) -> {
              try {
                result.complete(work.call());
              } catch (Exception e) {
                result.completeExceptionally(e);
              }
            })
        .forPath("/");
    return result;
  }

  private static boolean isLost(InterProcessFencedMutex mutex) {
    try {
      mutex.getToken();
      return false;
    } catch (LeaseLostException lost) {
      return true;
    }
  }
}
