package dev.fencing.examples.comparison.arm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PollingTest {

  private static final Duration BOUND = Duration.ofSeconds(30);

  @Test
  void triesAgainUntilItIsGranted() throws Exception {
    Hold hold = new NoLock().acquire("row", Duration.ZERO);
    List<Long> tries = new ArrayList<>();
    Polling.Try third =
        () -> {
          tries.add(System.nanoTime());
          return tries.size() == 3 ? hold : null;
        };
    assertThat(Polling.until(BOUND, third)).isSameAs(hold);
    assertThat(tries).hasSize(3);
    assertThat(tries.get(1) - tries.get(0))
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(Polling.SHORTEST_MILLIS));
  }

  @Test
  void triesOnceWithoutAWait() throws Exception {
    List<String> tries = new ArrayList<>();
    Polling.Try busy =
        () -> {
          tries.add("busy");
          return null;
        };
    assertThat(Polling.until(Duration.ZERO, busy)).isNull();
    assertThat(tries).hasSize(1);
  }

  @Test
  void givesUpWhenTheTimeIsOver() throws Exception {
    Duration wait = Duration.ofMillis(60);
    long start = System.nanoTime();
    assertThat(Polling.until(wait, () -> null)).isNull();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(wait.toNanos());
  }

  @Test
  void waitsForATimeThatIsAnotherEachTime() {
    List<Long> delays = LongStream.range(0, 1_000).mapToObj(i -> Polling.delayMillis()).toList();
    assertThat(delays)
        .allSatisfy(
            delay -> assertThat(delay).isBetween(Polling.SHORTEST_MILLIS, Polling.LONGEST_MILLIS));
    // A fixed delay would let clients that met once meet again and again.
    assertThat(delays.stream().distinct().count()).isGreaterThan(10);
  }

  @Test
  void theTimeoutOfARedlockServerIsSmallBesideTheLease() {
    assertThat(Redlock.nodeTimeout(Duration.ofMillis(600))).isEqualTo(Duration.ofMillis(30));
    assertThat(Redlock.nodeTimeout(Duration.ofSeconds(3))).isEqualTo(Duration.ofMillis(50));
  }
}
