package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.curator.FencedLeaderSelector.Phase;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/** A started selector whose listener leads until it is interrupted. */
final class Candidate implements FencedLeaderListener, AutoCloseable {

  private final BlockingQueue<FencedLease> terms = new LinkedBlockingQueue<>();
  private final AtomicInteger interrupts = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final FencedLeaderSelector selector;
  private volatile CountDownLatch resign = new CountDownLatch(1);
  private volatile @Nullable CountDownLatch stubborn;
  private volatile @Nullable Throwable mishap;
  final CompletableFuture<Thread> thread = new CompletableFuture<>();

  Candidate(CuratorFramework client, String path) {
    selector =
        new FencedLeaderSelector(
            client,
            path,
            this,
            "candidate",
            work -> {
              Thread made = new Thread(work, "candidate");
              made.setDaemon(true);
              thread.complete(made);
              return made;
            });
    selector.start();
  }

  @Override
  public void takeLeadership(FencedLease lease) throws Exception {
    assertThat(running.incrementAndGet()).as("runs at a time").isEqualTo(1);
    CountDownLatch told = resign; // Before anybody knows of this run and may resign it.
    try {
      terms.add(lease);
      Throwable thrown = mishap;
      if (thrown instanceof Error error) {
        throw error;
      } else if (thrown instanceof Exception exception) {
        throw exception;
      }
      told.await();
    } catch (InterruptedException e) {
      interrupts.incrementAndGet();
      CountDownLatch swallowed = stubborn;
      if (swallowed == null) {
        throw e;
      }
      swallowed.await();
    } finally {
      running.decrementAndGet();
    }
  }

  /** Waits for the next run of takeLeadership. */
  FencedLease leads(Duration bound) throws InterruptedException {
    FencedLease lease = terms.poll(bound.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(lease).as("leads within %s, is %s", bound, selector.state()).isNotNull();
    return lease;
  }

  FencedLease leads() throws InterruptedException {
    return leads(ZooKeeperCase.PATIENCE);
  }

  boolean hasLedAgain() {
    return !terms.isEmpty();
  }

  /** Has takeLeadership return by itself. */
  void resign() {
    CountDownLatch leading = resign;
    resign = new CountDownLatch(1);
    leading.countDown();
  }

  /** Has every run swallow its interrupt and go on until the latch is opened. */
  void swallowInterruptUntil(CountDownLatch open) {
    stubborn = open;
  }

  /** Has every run throw this at its start; null for none. */
  void throwFromNowOn(@Nullable Throwable thrown) {
    mishap = thrown;
  }

  int interrupts() {
    return interrupts.get();
  }

  FencedLeaderSelector selector() {
    return selector;
  }

  boolean is(Phase phase) {
    return selector.state().phase() == phase;
  }

  @Override
  public void close() {
    assertThat(selector.close(ZooKeeperCase.PATIENCE)).as("ended").isTrue();
  }
}
