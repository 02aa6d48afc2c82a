package dev.fencing.curator;

import static java.lang.Thread.State.TIMED_WAITING;
import static java.lang.Thread.State.WAITING;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An acquire by a thread of its own, which keeps the hold until it is told to let go. */
final class ThreadHold {

  private static final long SECONDS = 20;

  private final CompletableFuture<Long> token = new CompletableFuture<>();
  private final CountDownLatch letGo = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Thread thread;
  private volatile boolean interruptStatus;

  ThreadHold(InterProcessFencedMutex mutex) {
    thread = new Thread(() -> run(mutex), "holder");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(InterProcessFencedMutex mutex) {
    try {
      try {
        token.complete(mutex.acquireAndGetToken());
      } catch (Exception e) {
        interruptStatus = Thread.interrupted();
        token.completeExceptionally(e);
        return;
      }
      letGo.await();
      mutex.release();
    } catch (Exception e) {
      ended.completeExceptionally(e);
    } finally {
      ended.complete(null);
    }
  }

  /** Waits for the grant; throws what the acquire threw as the cause of ExecutionException. */
  long token() throws InterruptedException, ExecutionException, TimeoutException {
    return token.get(SECONDS, TimeUnit.SECONDS);
  }

  long tokenWithin(Duration bound)
      throws InterruptedException, ExecutionException, TimeoutException {
    return token.get(bound.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether the thread waits in the queue for its predecessor, its watch being set. */
  boolean isQueued() {
    boolean parked = thread.getState() == WAITING || thread.getState() == TIMED_WAITING;
    return parked
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().endsWith(".LockQueue"));
  }

  boolean isGranted() {
    return token.isDone();
  }

  void interrupt() {
    thread.interrupt();
  }

  /** Whether the thread was interrupted when its acquire had thrown. */
  boolean interruptStatus() {
    return interruptStatus;
  }

  void release() throws InterruptedException, ExecutionException, TimeoutException {
    letGo.countDown();
    ended.get(SECONDS, TimeUnit.SECONDS);
  }
}
