package dev.fencing.examples.comparison.arm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.Signals;
import dev.fencing.fixtures.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of Redlock, one by one, against five servers. */
@Timeout(60)
@Tag("thorough")
class RedlockTest {

  private static final Duration LEASE = Duration.ofSeconds(30);

  /** Unlike any other time-out that there is. */
  private static final Duration NODE_TIMEOUT = Duration.ofMillis(2_500);

  private static final String RESOURCE = "row";
  private static final String KEY = RedisLock.key(RESOURCE);

  private static RedisServers servers;

  @BeforeAll
  static void start() throws Exception {
    servers = new RedisServers(5);
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
  void asksEveryServerForTheSameRandomValue() {
    try (Redlock redlock = redlock()) {
      assertThat(redlock.tryOnce(RESOURCE)).isNotNull();
      List<@Nullable String> first = servers.holders(KEY);
      assertThat(first).doesNotContainNull().containsOnly(first.get(0));
      servers.clear();
      assertThat(redlock.tryOnce(RESOURCE)).isNotNull();
      assertThat(servers.holders(KEY)).doesNotContain(first.get(0));
    }
  }

  @Test
  void holdsItWithThreeServersOfFive() {
    servers.set(0, KEY, "another");
    servers.set(4, KEY, "another");
    try (Redlock redlock = redlock()) {
      assertThat(redlock.tryOnce(RESOURCE)).isNotNull();
    }
  }

  @Test
  void failsWithTwoOfFiveAndGivesThemBack() {
    servers.set(0, KEY, "another");
    servers.set(2, KEY, "another");
    servers.set(4, KEY, "another");
    try (Redlock redlock = redlock()) {
      assertThat(redlock.tryOnce(RESOURCE)).isNull();
    }
    assertThat(servers.holders(KEY)).containsExactly("another", null, "another", null, "another");
  }

  @Test
  void releasesOnAllServersAndOnlyWhatIsItsOwn() {
    servers.set(1, KEY, "another");
    try (Redlock redlock = redlock()) {
      Redlock.Grant grant = Granted.of(redlock.tryOnce(RESOURCE));
      grant.release();
    }
    assertThat(servers.holders(KEY)).containsExactly(null, "another", null, null, null);
  }

  @Test
  void doesWithoutOneDeadServer() {
    servers.end(3);
    try (Redlock redlock = redlock()) {
      Redlock.Grant grant = Granted.of(redlock.tryOnce(RESOURCE));
      grant.release();
    } finally {
      servers.replace(3);
    }
    assertThat(servers.holders(KEY)).containsOnlyNulls();
  }

  @Test
  void waitsForAFrozenServerNoLongerThanItsTimeout() throws Exception {
    long pid = servers.node(2).pid();
    try (Redlock redlock = redlock()) {
      Signals.freeze(pid);
      Redlock.Grant grant;
      long start = System.nanoTime();
      try {
        grant = Granted.of(redlock.tryOnce(RESOURCE));
      } finally {
        Signals.thaw(pid);
      }
      // It was given up while the server was still stopped, after its time and not before.
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(NODE_TIMEOUT.toNanos());
      assertThat(grant.validityNanos()).isLessThan(LEASE.minus(NODE_TIMEOUT).toNanos());
    }
  }

  @Test
  void asksASilentServerForTheKeyAndForNothingElse() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(servers.node(2).port());
        Redlock redlock = through(proxy)) {
      Granted.of(redlock.tryOnce(RESOURCE)).release(); // It is connected.
      proxy.silenceReplies();
      long before = proxy.requests();
      assertThat(redlock.tryOnce(RESOURCE)).isNotNull();
      // Whatever it were asked besides would cost its time-out once more.
      assertThat(proxy.requests() - before).isEqualTo(1);
    }
  }

  @Test
  void releasesWhereTheAnswerWasLost() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(servers.node(2).port());
        Redlock redlock = through(proxy)) {
      proxy.silenceReplies();
      Redlock.Grant grant = Granted.of(redlock.tryOnce(RESOURCE));
      assertThat(servers.holders(KEY)).doesNotContainNull();
      proxy.restore();
      grant.release();
    }
    assertThat(servers.holders(KEY)).containsOnlyNulls();
  }

  private static Redlock through(TcpProxy proxy) {
    List<String> addresses = new ArrayList<>(servers.addresses());
    addresses.set(2, "127.0.0.1:" + proxy.port());
    return new Redlock(addresses, LEASE, NODE_TIMEOUT);
  }

  @Test
  void isValidForTheLeaseLessTheTimeOfAskingAndTheDrift() {
    AtomicLong now = new AtomicLong(1_000);
    try (Redlock redlock = redlock(now::get)) {
      Redlock.Grant grant = Granted.of(redlock.tryOnce(RESOURCE));
      Duration drift = LEASE.dividedBy(100).plusMillis(2);
      assertThat(grant.validityNanos()).isEqualTo(LEASE.minus(drift).toNanos());
      now.addAndGet(grant.validityNanos() - 1);
      assertThat(grant.seemsHeld()).isTrue();
      now.incrementAndGet();
      assertThat(grant.seemsHeld()).isFalse();
    }
  }

  @Test
  void failsWhenTheLeaseWasUsedUpByAskingAndGivesAllBack() {
    AtomicLong calls = new AtomicLong();
    // The second look at the clock, after the servers have answered, is a lease later.
    LongSupplier clock = () -> calls.getAndIncrement() == 0 ? 0 : LEASE.toNanos();
    try (Redlock redlock = redlock(clock)) {
      assertThat(redlock.tryOnce(RESOURCE)).isNull();
    }
    assertThat(servers.holders(KEY)).containsOnlyNulls();
  }

  @Test
  void letsKeysExpireWithTheLease() {
    try (Redlock redlock = redlock()) {
      assertThat(redlock.tryOnce(RESOURCE)).isNotNull();
      for (int i = 0; i < 5; i++) {
        assertThat(servers.ttlMillis(i, KEY)).isBetween(1L, LEASE.toMillis());
      }
    }
  }

  @Test
  void hasTwoHoldersWhenTheClocksOfThreeServersJump() {
    try (Redlock redlock = redlock()) {
      Redlock.Grant first = Granted.of(redlock.tryOnce(RESOURCE));
      assertThat(redlock.tryOnce(RESOURCE)).isNull();
      for (int i = 0; i < 3; i++) {
        servers.expire(i, KEY);
      }
      Redlock.Grant second = Granted.of(redlock.tryOnce(RESOURCE));
      assertThat(first.seemsHeld()).isTrue();
      assertThat(second.seemsHeld()).isTrue();
    }
  }

  @Test
  void keepsOneHolderWhenTheClocksOfTwoServersJump() {
    try (Redlock redlock = redlock()) {
      assertThat(redlock.tryOnce(RESOURCE)).isNotNull();
      for (int i = 0; i < 2; i++) {
        servers.expire(i, KEY);
      }
      assertThat(redlock.tryOnce(RESOURCE)).isNull();
    }
  }

  private static Redlock redlock() {
    return redlock(System::nanoTime);
  }

  private static Redlock redlock(LongSupplier clock) {
    return new Redlock(servers.addresses(), LEASE, NODE_TIMEOUT, clock);
  }
}
