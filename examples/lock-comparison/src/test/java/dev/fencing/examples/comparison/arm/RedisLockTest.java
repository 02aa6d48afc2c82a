package dev.fencing.examples.comparison.arm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.TcpProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
    Duration lease = Duration.ofSeconds(6);
    try (RenewedRedisLock lock = new RenewedRedisLock(servers.addresses().get(0), lease)) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      servers.shorten(0, KEY, Duration.ofSeconds(4));
      await()
          .atMost(BOUND)
          .untilAsserted(() -> assertThat(servers.ttlMillis(0, KEY)).isGreaterThan(4_000));
      assertThat(hold.seemsHeld()).isTrue();
    }
  }

  @Test
  void aRenewalThatComesTooLateSaysThatTheLockIsLost() throws Exception {
    try (RenewedRedisLock lock =
        new RenewedRedisLock(servers.addresses().get(0), Duration.ofMillis(300))) {
      Hold hold = Granted.of(lock.acquire(RESOURCE, Duration.ZERO));
      servers.set(0, KEY, "another");
      await().atMost(BOUND).until(() -> !hold.seemsHeld());
      hold.release();
    }
    assertThat(servers.holders(KEY)).containsExactly("another");
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

  private static RedisLock lock(RedisLock.Release release) {
    return new RedisLock(servers.addresses().get(0), LEASE, release);
  }
}
