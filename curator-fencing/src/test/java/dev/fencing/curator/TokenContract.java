package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.Test;

/** What a token is, and who gets which. */
abstract class TokenContract extends ZooKeeperCase {

  @Test
  void tokenIsTheCzxidOfTheHoldersOwnNode() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);

    long token = mutex.acquireAndGetToken();

    assertThat(token).isPositive().isEqualTo(onlyNode().getCzxid());
    assertThat(mutex.getToken()).isEqualTo(token);
    mutex.release();
  }

  @Test
  void everyWayToAcquireGivesTheToken() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);

    mutex.acquire();
    assertThat(mutex.getToken()).isEqualTo(onlyNode().getCzxid());
    mutex.release();
    assertThat(mutex.acquire(1, TimeUnit.SECONDS)).isTrue();
    assertThat(mutex.getToken()).isEqualTo(onlyNode().getCzxid());
    mutex.release();
    assertThat(mutex.acquireAndGetToken(Duration.ofSeconds(1))).hasValue(onlyNode().getCzxid());
    mutex.release();
    try (FencedLease lease = mutex.acquireLease()) {
      assertThat(lease.token()).isEqualTo(onlyNode().getCzxid());
    }
    try (FencedLease lease = mutex.acquireLease(Duration.ofSeconds(1)).orElseThrow()) {
      assertThat(lease.token()).isEqualTo(onlyNode().getCzxid());
    }
  }

  @Test
  void reentryKeepsTheToken() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    long token = mutex.acquireAndGetToken();

    assertThat(mutex.acquireAndGetToken()).isEqualTo(token);
    assertThat(mutex.acquireAndGetToken(Duration.ZERO)).hasValue(token);
    assertThat(mutex.acquire(0, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 3; i++) {
      mutex.release();
      assertThat(mutex.getToken()).isEqualTo(token);
    }
    mutex.release();

    assertThat(mutex.acquireAndGetToken()).as("a new acquisition").isGreaterThan(token);
    mutex.release();
  }

  @Test
  void getTokenWithoutAHoldThrows() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    assertThatThrownBy(mutex::getToken)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining(path);

    mutex.acquire();
    assertThatThrownBy(() -> get(inThread(mutex::getToken)))
        .as("another thread")
        .cause()
        .isInstanceOf(IllegalMonitorStateException.class);
    mutex.release();

    assertThatThrownBy(mutex::getToken)
        .as("after the release")
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThat(mutex.holds).isEmpty();
  }

  @Test
  void nothingIsHeldAfterATimedOutAcquire() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    InterProcessFencedMutex other = new InterProcessFencedMutex(client(), path);
    mutex.acquire();

    assertThat(other.acquireAndGetToken(Duration.ofMillis(20))).isEmpty();

    assertThat(other.holds).isEmpty();
    assertThatThrownBy(other::getToken).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(children(path)).hasSize(1);
    mutex.release();
  }

  @Test
  @SuppressWarnings("NullAway") // null is one of the values under test
  void waitsOfEveryLengthAreTaken() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    assertThat(Deadline.in(longest).left()).isPositive();
    assertThat(Deadline.in(longest).plus(Duration.ofSeconds(1)).isOver()).isFalse();
    assertThat(Deadline.in(Duration.ofNanos(-1)).isOver()).isTrue();

    assertThat(mutex.acquireAndGetToken(longest)).isPresent();
    InterProcessFencedMutex busy = new InterProcessFencedMutex(client(), path);
    Duration negative = Duration.ofSeconds(Long.MIN_VALUE);
    assertThat(busy.acquireAndGetToken(negative)).isEmpty();
    assertThat(busy.acquireAndGetToken(Duration.ZERO)).isEmpty();
    assertThat(busy.acquireAndGetToken(Duration.ofNanos(1))).isEmpty();
    assertThat(busy.acquireLease(negative)).isEmpty();
    assertThat(busy.acquireLease(Duration.ZERO)).isEmpty();
    assertThatThrownBy(() -> busy.acquireAndGetToken(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("wait");
    assertThatThrownBy(() -> busy.acquireLease(null)).isInstanceOf(NullPointerException.class);
    assertThat(children(path)).hasSize(1);

    Future<Long> waiter =
        inThread(
            () -> {
              long token = busy.acquireAndGetToken(longest).orElseThrow();
              busy.release();
              return token;
            });
    awaitChildren(2);
    long token = mutex.getToken();
    mutex.release();
    assertThat(get(waiter)).isGreaterThan(token);
  }

  @Test
  void plainMutexAndFencedMutexExcludeEachOther() throws Exception {
    InterProcessMutex plain = new InterProcessMutex(client(), path);
    InterProcessFencedMutex fenced = new InterProcessFencedMutex(client(), path);

    plain.acquire();
    assertThat(fenced.acquireAndGetToken(Duration.ofMillis(20))).isEmpty();
    assertThat(fenced.acquireLease(Duration.ofMillis(20))).isEmpty();
    plain.release();

    fenced.acquire();
    assertThat(plain.acquire(20, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(fenced.acquireLease(Duration.ofMillis(20))).isEmpty();
    fenced.release();

    try (FencedLease lease = fenced.acquireLease()) {
      assertThat(lease.isLive()).isTrue();
      assertThat(plain.acquire(20, TimeUnit.MILLISECONDS)).isFalse();
      assertThat(fenced.acquireAndGetToken(Duration.ofMillis(20))).isEmpty();
      assertThat(fenced.acquireLease(Duration.ofMillis(20))).isEmpty();
    }
    assertThat(plain.acquire(0, TimeUnit.MILLISECONDS)).isTrue();
    plain.release();
  }

  @Test
  void tokensRiseInGrantOrderUnderContentionOfEveryKind() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex shared = new InterProcessFencedMutex(client, path);
    List<Long> granted = new ArrayList<>(); // guarded by the lock under test
    AtomicInteger inside = new AtomicInteger();
    int rounds = 40;
    List<Function<InterProcessFencedMutex, Contender>> kinds =
        List.of(
            own -> () -> contend(shared, granted, inside),
            own -> () -> contend(own, granted, inside),
            own -> () -> contendByLease(shared, granted, inside),
            own -> () -> contendPlain(new InterProcessMutex(client, path), inside));
    List<Future<?>> contenders = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Contender contender =
          kinds.get(i % kinds.size()).apply(new InterProcessFencedMutex(client, path));
      contenders.add(
          inThread(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  contender.run();
                }
                return null;
              }));
    }
    for (Future<?> contender : contenders) {
      get(contender);
    }

    assertThat(granted).hasSize(6 * rounds).isSorted().doesNotHaveDuplicates();
  }

  interface Contender {
    void run() throws Exception;
  }

  private static void contend(
      InterProcessFencedMutex mutex, List<Long> granted, AtomicInteger inside) throws Exception {
    long token = mutex.acquireAndGetToken();
    assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
    granted.add(token);
    inside.decrementAndGet();
    mutex.release();
  }

  private static void contendByLease(
      InterProcessFencedMutex mutex, List<Long> granted, AtomicInteger inside) throws Exception {
    try (FencedLease lease = mutex.acquireLease()) {
      assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
      granted.add(lease.token());
      inside.decrementAndGet();
    }
  }

  private static void contendPlain(InterProcessMutex mutex, AtomicInteger inside) throws Exception {
    mutex.acquire();
    assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
    inside.decrementAndGet();
    mutex.release();
  }

  @Test
  void tokensRiseThoughTheSequenceRestartsWithItsParent() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    long last = 0;
    for (int i = 0; i < 3; i++) {
      long token = mutex.acquireAndGetToken();
      assertThat(token).isGreaterThan(last);
      assertThat(children(path).get(0)).endsWith("-lock-0000000000");
      last = token;
      mutex.release();
      observer.delete(path, -1);
    }
  }

  @Test
  void namespaceAndChrootApplyToTheLockPath() throws Exception {
    createParent("/chroot");
    CuratorFramework client =
        client(
            port(),
            builder -> builder.connectString("127.0.0.1:" + port() + "/chroot").namespace("team"));
    InterProcessFencedMutex inNamespace = new InterProcessFencedMutex(client, path);
    InterProcessFencedMutex inNone = new InterProcessFencedMutex(client.usingNamespace(null), path);

    try (FencedLease lease = inNamespace.acquireLease()) {
      assertThat(lease.token()).isEqualTo(onlyNode("/chroot/team" + path).getCzxid());
      assertThat(lease.lockPath()).isEqualTo(path);
      assertThat(inNone.acquireAndGetToken(Duration.ZERO)).as("another lock").isPresent();
      assertThat(inNone.getToken()).isEqualTo(onlyNode("/chroot" + path).getCzxid());
      inNone.release();
    }

    for (String parent : List.of("/chroot/team" + path, "/chroot" + path)) {
      assertThat(children(parent)).isEmpty();
      observer.delete(parent, -1);
    }
    observer.delete("/chroot/team", -1);
    client.close();
    observer.delete("/chroot", -1);
  }

  @Test
  void lockOfADeadThreadStaysHeldAndGivesItsTokenToNobody() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    Thread holder =
        new Thread(
            () -> {
              try {
                mutex.acquire();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    holder.start();
    holder.join();

    assertThatThrownBy(mutex::getToken).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(mutex::release).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(mutex.acquireAndGetToken(Duration.ZERO)).isEmpty();
    long lost = onlyNode().getCzxid();

    client.close();
    try (FencedLease next = new InterProcessFencedMutex(client(), path).acquireLease()) {
      assertThat(next.token()).isGreaterThan(lost);
    }
  }

  @Test
  void overriddenNodeDataIsWrittenForHoldsAndLeases() throws Exception {
    InterProcessFencedMutex mutex =
        new InterProcessFencedMutex(client(), path) {
          @Override
          protected byte[] getLockNodeBytes() {
            return "worker-7".getBytes(StandardCharsets.UTF_8);
          }
        };

    mutex.acquire();
    assertThat(dataOfTheOnlyNode()).isEqualTo("worker-7");
    mutex.release();
    try (FencedLease lease = mutex.acquireLease()) {
      assertThat(lease.isLive()).isTrue();
      assertThat(dataOfTheOnlyNode()).isEqualTo("worker-7");
    }
  }

  private String dataOfTheOnlyNode() throws Exception {
    String node = path + "/" + children(path).get(0);
    return new String(observer.getData(node, false, null), StandardCharsets.UTF_8);
  }

  @Test
  void overriddenAcquireIsPartOfAcquireAndGetTokenAndCannotChangeTheToken() throws Exception {
    AtomicInteger acquires = new AtomicInteger();
    InterProcessFencedMutex mutex =
        new InterProcessFencedMutex(client(), path) {
          @Override
          public void acquire() throws Exception {
            acquires.incrementAndGet();
            super.acquire();
          }

          @Override
          public long getToken() {
            return 7;
          }
        };

    assertThat(mutex.acquireAndGetToken()).isEqualTo(onlyNode().getCzxid());
    assertThat(acquires).hasValue(1);
    mutex.release();
    assertThat(mutex.holds).isEmpty();
  }

  @Test
  void acquireThatFailsBeforeItsNodeExistsHoldsNothing() throws Exception {
    InterProcessFencedMutex mutex =
        new InterProcessFencedMutex(client(), path) {
          @Override
          protected byte[] getLockNodeBytes() {
            throw new UnsupportedOperationException("no data");
          }
        };
    assertThatThrownBy(mutex::acquireAndGetToken).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(mutex::acquireLease).isInstanceOf(UnsupportedOperationException.class);
    assertThat(mutex.holds).isEmpty();
    assertThatThrownBy(mutex::getToken).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void malformedLockPathIsRefusedAtConstruction() throws Exception {
    CuratorFramework client = client();
    assertThatThrownBy(() -> new InterProcessFencedMutex(client, "locks"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InterProcessFencedMutex(client, ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
