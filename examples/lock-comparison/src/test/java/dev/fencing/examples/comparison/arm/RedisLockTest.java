package dev.fencing.examples.comparison.arm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.TcpProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RedisLockTest {

  private static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final String RESOURCE = "row";
  private static final String KEY = RedisLock.key(RESOURCE);

  private static RedisServers servers;

  @BeforeAll
  static void start() throws Exception {
    servers = new RedisServers(1);
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  @BeforeEach
  void clear() {
    servers.clear();
  }

  @Test
  void isGrantedToOneAtATime() throws Exception {
    try (RedisLock lock = lock(RedisLock.Release.SCRIPT)) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      assertThat(lock.acquire(RESOURCE, Duration.ZERO)).isNull();
      hold.release();
      assertThat(lock.acquire(RESOURCE, Duration.ZERO)).isNotNull();
    }
  }

  @Test
  void aReleaseByGetAndDelDeletesTheLockOfTheNextHolder() throws Exception {
    // Between the GET and the DEL the key expires and somebody else gets it.
    assertThat(nextHolderAfterLateRelease(RedisLock.Release.GET_THEN_DEL, "DEL")).isFalse();
  }

  @Test
  void aReleaseByScriptLeavesTheLockOfTheNextHolder() throws Exception {
    assertThat(nextHolderAfterLateRelease(RedisLock.Release.SCRIPT, "EVAL")).isTrue();
  }

  /** Holds a release up at its last command; returns whether the next holder still has the lock. */
  private static boolean nextHolderAfterLateRelease(RedisLock.Release release, String last)
      throws Exception {
    try (TcpProxy proxy = TcpProxy.to(servers.node(0).port());
        RedisLock slow = new RedisLock("127.0.0.1:" + proxy.port(), LEASE, release);
        RedisLock other = lock(RedisLock.Release.SCRIPT)) {
      Hold first = Granted.of(slow.acquire(RESOURCE, Duration.ZERO));
      Fault held = proxy.hold(last);
      CompletableFuture<Void> releasing =
          CompletableFuture.runAsync(
              () -> {
                try {
                  first.release();
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      held.await(BOUND);
      servers.expire(0, KEY);
      assertThat(other.acquire(RESOURCE, Duration.ZERO)).isNotNull();
      held.release();
      releasing.get(BOUND.toSeconds(), TimeUnit.SECONDS);
      return other.acquire(RESOURCE, Duration.ZERO) == null;
    }
  }

  @Test
  void isRenewedWhileItsProcessRuns() throws Exception {
    try (RenewedRedisLock lock = renewedOften()) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      awaitRenewal(KEY);
      assertThat(hold.seemsHeld()).isTrue();
    }
  }

  @Test
  void isRenewedNoMoreWhenItIsReleased() throws Exception {
    try (RenewedRedisLock lock = renewedOften()) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      String value = String.valueOf(servers.holders(KEY).get(0));
      hold.release();
      servers.set(0, KEY, value);
      servers.shorten(0, KEY, LEASE.dividedBy(2));
      // One thread renews all, in turn.
      Granted.of(lock.acquire("another", Duration.ZERO));
      awaitRenewal(RedisLock.key("another"));
      awaitRenewal(RedisLock.key("another"));
      assertThat(servers.ttlMillis(0, KEY)).isBetween(1L, LEASE.toMillis() / 2);
    }
  }

  @Test
  void isRenewedEveryThirdOfItsLease() {
    assertThat(RenewedRedisLock.period(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(1));
  }

  private static RenewedRedisLock renewedOften() {
    return new RenewedRedisLock(servers.addresses().get(0), LEASE, Duration.ofMillis(50));
  }

  /** Returns when a key that had half a lease left has more. */
  private static void awaitRenewal(String key) {
    servers.shorten(0, key, LEASE.dividedBy(2));
    await()
        .atMost(BOUND.minusSeconds(5))
        .until(() -> servers.ttlMillis(0, key) > LEASE.toMillis() / 2);
  }

  @Test
  void aRenewalThatComesTooLateSaysThatTheLockIsLost() throws Exception {
    try (RenewedRedisLock lock =
        new RenewedRedisLock(servers.addresses().get(0), LEASE, Duration.ofMillis(50))) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      servers.set(0, KEY, "another");
      await().atMost(BOUND).until(() -> !hold.seemsHeld());
      hold.release();
    }
    assertThat(servers.holders(KEY)).containsExactly("another");
  }

  @Test
  void asksAgainUntilItIsFree() throws Exception {
    try (RedisLock lock = lock(RedisLock.Release.SCRIPT)) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      CompletableFuture<Hold> next =
          CompletableFuture.supplyAsync(
              () -> {
                try (RedisLock other = lock(RedisLock.Release.SCRIPT)) {
                  return Granted.of(other.acquire(RESOURCE, BOUND));
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      String first = String.valueOf(servers.holders(KEY).get(0));
      hold.release();
      next.get(BOUND.toSeconds(), TimeUnit.SECONDS);
      assertThat(servers.holders(KEY)).doesNotContainNull().doesNotContain(first);
    }
  }

  @Test
  void countsTheGrantsOfEachKeyByItself() throws Exception {
    try (CountedRedisLock lock = new CountedRedisLock(servers.addresses().get(0), LEASE)) {
      assertThat(Granted.of(lock.acquire(RESOURCE, Duration.ZERO)).token()).isOne();
      assertThat(Granted.of(lock.acquire("another", Duration.ZERO)).token()).isOne();
    }
  }

  @Test
  void countsItsGrantsUpwards() throws Exception {
    try (CountedRedisLock lock = new CountedRedisLock(servers.addresses().get(0), LEASE)) {
      for (long token = 1; token <= 3; token++) {
        Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
        assertThat(hold.token()).isEqualTo(token);
        assertThat(lock.acquire(RESOURCE, Duration.ZERO)).isNull();
        hold.release();
      }
    }
  }

  @Test
  void asksTheNextPrimaryWhenTheOneBeforeIsDead(@TempDir Path directory) throws Exception {
    Path primary = directory.resolve("primary");
    Files.writeString(primary, "127.0.0.1:1"); // Nothing listens there.
    try (FailoverRedisLock lock = new FailoverRedisLock(primary, LEASE)) {
      assertThat(lock.acquire(RESOURCE, Duration.ZERO)).isNull();
      Files.writeString(primary, servers.addresses().get(0));
      assertThat(lock.acquire(RESOURCE, Duration.ZERO)).isNotNull();
    }
  }

  @Test
  void aReleaseOnADeadPrimaryIsNoFailure(@TempDir Path directory) throws Exception {
    Path primary = directory.resolve("primary");
    try (TcpProxy proxy = TcpProxy.to(servers.node(0).port());
        FailoverRedisLock lock = new FailoverRedisLock(primary, LEASE)) {
      Files.writeString(primary, "127.0.0.1:" + proxy.port());
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      assertThat(proxy.cut()).isPositive();
      hold.release();
    }
  }

  private static RedisLock lock(RedisLock.Release release) {
    return new RedisLock(servers.addresses().get(0), LEASE, release);
  }
}
