package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

/** What is left after many holds: nothing. */
abstract class LeftoverContract extends ZooKeeperCase {

  @Test
  void tenThousandCyclesLeaveNoWatchNoNodeAndNoLocalState() throws Exception {
    CuratorFramework client = client();
    createParent(path);
    long watches = watchesAtTheServer();
    long nodes = nodesAtTheServer();
    InterProcessFencedMutex shared = new InterProcessFencedMutex(client, path);
    AtomicInteger timedOut = new AtomicInteger();
    List<Future<?>> workers = new ArrayList<>();
    for (int worker = 0; worker < 4; worker++) {
      workers.add(
          inThread(
              () -> {
                for (int i = 0; i < 2_500; i++) {
                  cycle(client, shared, timedOut, i);
                }
                return null;
              }));
    }
    for (Future<?> worker : workers) {
      within(Duration.ofMinutes(2), worker);
    }

    assertThat(timedOut).as("attempts that timed out").hasPositiveValue();
    assertThat(shared.holds).isEmpty();
    assertThat(children(path)).isEmpty();
    assertThat(nodesAtTheServer()).isEqualTo(nodes);
    assertThat(watchesAtTheServer()).isEqualTo(watches);
  }

  /** One of the ways to hold, by a mutex object of this cycle alone or by the shared one. */
  private void cycle(
      CuratorFramework client, InterProcessFencedMutex shared, AtomicInteger timedOut, int i)
      throws Exception {
    InterProcessFencedMutex own = new InterProcessFencedMutex(client, path);
    switch (i % 4) {
      case 0 -> {
        if (own.acquireAndGetToken(Duration.ofMillis(1)).isPresent()) {
          own.release();
        } else {
          timedOut.incrementAndGet();
        }
        assertThat(own.holds).isEmpty();
      }
      case 1 ->
          own.acquireLease(Duration.ZERO)
              .ifPresentOrElse(FencedLease::close, timedOut::incrementAndGet);
      case 2 -> {
        if (shared.acquire(2, TimeUnit.MILLISECONDS)) {
          shared.release();
        }
      }
      default -> {
        own.acquire();
        own.release();
        assertThat(own.holds).isEmpty();
      }
    }
  }
}
