package dev.fencing.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** How often a second something is done. */
final class Rate {

  /** What is done again and again. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  /** The longest wait for all to line up. Curator's herd serves some 50 threads a second. */
  private static final Duration LINE_UP = Duration.ofSeconds(3);

  private static final Duration SETTLE = Duration.ofMillis(200);

  private Rate() {}

  /** Returns the rate of {@code step} in this thread alone. */
  static double of(Step step, Duration time) throws Exception {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    long done = 0;
    long now = start;
    while (now - end < 0) {
      step.run();
      done++;
      now = System.nanoTime();
    }
    return perSecond(done, now - start);
  }

  /** Returns the rate of all steps together, each again and again in a thread of its own. */
  static double ofAll(List<Step> steps, Duration time) throws Exception {
    AtomicLong done = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    CountDownLatch ready = new CountDownLatch(steps.size());
    CountDownLatch go = new CountDownLatch(1);
    AtomicBoolean stopped = new AtomicBoolean();
    List<Thread> threads =
        steps.stream()
            .map(
                step ->
                    new Thread(
                        () -> {
                          try {
                            step.run(); // Connects, and is not counted.
                            ready.countDown();
                            go.await();
                            while (!stopped.get()) {
                              step.run();
                              done.incrementAndGet();
                            }
                          } catch (Throwable e) {
                            failure.compareAndSet(null, e);
                            ready.countDown();
                          }
                        }))
            .toList();
    threads.forEach(Thread::start);
    ready.await();
    long start = System.nanoTime();
    go.countDown();
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
    double rate = perSecond(done.get(), System.nanoTime() - start);
    stopped.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new IllegalStateException("a step failed while it was measured", failed);
    }
    return rate;
  }

  /**
   * Returns the rate at which one lock goes from hand to hand.
   *
   * <p>Every cycle runs in a thread of its own, again and again. Nothing is counted before each had
   * the lock once, so that all have lined up, or {@link #LINE_UP} is over. On return the threads
   * have ended; those that still waited for the lock were interrupted.
   */
  static double ofHandoffs(List<Cycle> cycles, Duration time) throws Exception {
    Contenders contenders = new Contenders(cycles.size());
    List<Thread> threads = cycles.stream().map(contenders::thread).toList();
    threads.forEach(Thread::start);
    var unused = contenders.linedUp.await(LINE_UP.toNanos(), TimeUnit.NANOSECONDS);
    TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
    long before = contenders.handoffs.get();
    long start = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
    double rate = perSecond(contenders.handoffs.get() - before, System.nanoTime() - start);
    contenders.stopped = true;
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable failed = contenders.failure.get();
    if (failed != null) {
      throw new IllegalStateException("a contender failed while it was measured", failed);
    }
    return rate;
  }

  /** What the threads of one measurement share. */
  private static final class Contenders {

    final CountDownLatch linedUp;
    final AtomicLong handoffs = new AtomicLong();
    final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean held = new AtomicBoolean();
    volatile boolean stopped;

    Contenders(int count) {
      linedUp = new CountDownLatch(count);
    }

    Thread thread(Cycle cycle) {
      return new Thread(
          () -> {
            try {
              cycle.run(this::underLock);
              linedUp.countDown();
              while (!stopped) {
                cycle.run(this::underLock);
              }
            } catch (Throwable e) {
              if (!stopped) {
                failure.compareAndSet(null, e);
                linedUp.countDown();
              }
            }
          });
    }

    private void underLock() {
      if (held.getAndSet(true)) {
        throw new IllegalStateException("two threads hold the lock at the same time");
      }
      handoffs.incrementAndGet();
      held.set(false);
    }
  }

  static double perSecond(long count, long nanos) {
    return count * 1e9 / nanos;
  }
}
