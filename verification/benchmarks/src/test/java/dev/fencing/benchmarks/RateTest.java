package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class RateTest {

  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void handoffsOfALockAreCountedAndTheThreadsEnd() throws Exception {
    ReentrantLock lock = new ReentrantLock(true);
    Cycle cycle =
        underLock -> {
          lock.lockInterruptibly();
          try {
            underLock.run();
          } finally {
            lock.unlock();
          }
        };

    assertThat(Rate.ofHandoffs(Collections.nCopies(4, cycle), SHORT)).isPositive();
    assertThat(lock.hasQueuedThreads()).isFalse();
  }

  @Test
  void failureOfAContenderIsNotMeasuredAsSilence() {
    Cycle broken =
        underLock -> {
          throw new IllegalArgumentException("no lock");
        };

    assertThatThrownBy(() -> Rate.ofHandoffs(List.of(broken), SHORT))
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("no lock");
  }
}
