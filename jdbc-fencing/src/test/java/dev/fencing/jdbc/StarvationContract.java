package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A live zombie: the old holder keeps its connections looping short checked transactions. */
abstract class StarvationContract extends DatabaseTest {

  private static final int CONNECTIONS = 64;

  @Test
  void aRaiseGetsThroughWithinTheLongestTransactionAndASecond() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(CONNECTIONS);
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      FencedResource old = JdbcFence.of(pool).raise("ledger", 33);
      CountDownLatch looping = new CountDownLatch(CONNECTIONS);
      AtomicLong longest = new AtomicLong();
      List<Future<?>> zombies = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        zombies.add(threads.submit(() -> loopUntilRefused(old, looping, longest)));
      }
      assertThat(looping.await(60, TimeUnit.SECONDS)).isTrue();

      long start = System.nanoTime();
      FencedResource current = fence.raise("ledger", 34);
      Duration took = Duration.ofNanos(System.nanoTime() - start);

      for (Future<?> zombie : zombies) {
        zombie.get(30, TimeUnit.SECONDS);
      }
      assertThat(took).isLessThan(Duration.ofNanos(longest.get()).plus(Duration.ofSeconds(1)));
      assertThat(current.isUsable()).isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Some 20 ms a transaction, so that the sharers always overlap; told after the tenth. */
  private void loopUntilRefused(FencedResource old, CountDownLatch looping, AtomicLong longest) {
    assertThatThrownBy(
            () -> {
              for (int done = 1; true; done++) {
                long start = System.nanoTime();
                old.inTransaction(c -> Sql.text(c, sql.server().sleep));
                longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                if (done == 10) {
                  looping.countDown();
                }
              }
            })
        .isInstanceOf(StaleTokenException.class);
  }
}
