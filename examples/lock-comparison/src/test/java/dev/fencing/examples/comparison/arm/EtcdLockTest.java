package dev.fencing.examples.comparison.arm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fencing.examples.comparison.server.Servers;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("thorough")
class EtcdLockTest {

  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration BOUND = Duration.ofSeconds(30);

  private static Servers servers;
  private static String address;

  @BeforeAll
  static void start() throws Exception {
    Optional<Path> program = Servers.etcdProgram();
    Assumptions.assumeTrue(program.isPresent(), "no program \"etcd\" is on the PATH");
    servers = Servers.open();
    address = "127.0.0.1:" + servers.etcd(program.orElseThrow()).port();
  }

  @AfterAll
  static void stop() {
    if (servers != null) {
      servers.close();
    }
  }

  @Test
  void tokensRiseWithTheGrants() throws Exception {
    try (EtcdLock one = lock();
        EtcdLock other = lock()) {
      long last = 0;
      for (EtcdLock lock : new EtcdLock[] {one, other, one, other}) {
        Hold hold = Granted.of(lock.acquire("rising", BOUND));
        assertThat(hold.token()).isGreaterThan(last);
        last = hold.token();
        hold.release();
      }
    }
  }

  @Test
  void aHoldIsKeptAliveWhileItsProcessRuns() throws Exception {
    try (EtcdLock lock = lock();
        EtcdLock other = lock()) {
      Hold hold = Granted.of(lock.acquire("kept", BOUND));
      // Three leases: without the keep-alive it would be granted.
      assertThat(other.acquire("kept", LEASE.multipliedBy(3))).isNull();
      assertThat(hold.seemsHeld()).isTrue();
      hold.release();
      assertThat(other.acquire("kept", BOUND)).isNotNull();
    }
  }

  @Test
  void aHolderWhoseLeaseIsGoneNoticesAndQueuesAgainUnderANewOne() throws Exception {
    try (EtcdLock lock = lock();
        EtcdLock other = lock()) {
      Hold lost = Granted.of(lock.acquire("lost", BOUND));
      revoke("lost");
      Hold next = Granted.of(other.acquire("lost", BOUND));
      assertThat(next.token()).isGreaterThan(lost.token());
      await().atMost(BOUND).until(() -> !lost.seemsHeld());
      lost.release();
      assertThat(next.seemsHeld()).isTrue();
      next.release();
      assertThat(Granted.of(lock.acquire("lost", BOUND)).token()).isGreaterThan(next.token());
    }
  }

  @Test
  void whoGaveUpIsNotInTheQueueAnyMore() throws Exception {
    try (EtcdLock lock = lock();
        EtcdLock impatient = lock();
        EtcdLock patient = lock()) {
      Hold hold = Granted.of(lock.acquire("queue", BOUND));
      assertThat(impatient.acquire("queue", Duration.ofMillis(50))).isNull();
      hold.release();
      Hold next = Granted.of(patient.acquire("queue", BOUND));
      assertThat(next.token()).isGreaterThan(hold.token());
    }
  }

  @Test
  void aLeaseIsOfWholeSeconds() throws Exception {
    try (EtcdLock lock = new EtcdLock(address, Duration.ofMillis(1_001))) {
      assertThat(lock.leaseMillis()).isEqualTo(2_000);
    }
  }

  private static EtcdLock lock() {
    return new EtcdLock(address, LEASE);
  }

  /** As an administrator can; the holder is not asked. */
  private static void revoke(String resource) throws Exception {
    ByteSequence name = ByteSequence.from("locks/" + resource, StandardCharsets.UTF_8);
    GetOption below = GetOption.builder().isPrefix(true).build();
    try (Client admin = Client.builder().endpoints("http://" + address).build()) {
      for (KeyValue key : admin.getKVClient().get(name, below).get().getKvs()) {
        admin.getLeaseClient().revoke(key.getLease()).get();
      }
    }
  }
}
