package dev.fencing.curator;

import org.jspecify.annotations.Nullable;

/**
 * One run of takeLeadership, and the only thing that a selector interrupts.
 *
 * <p>An interrupt that comes too late for the run must not reach the next acquire or the next run.
 * Thread-safe; the guarded sections do not block.
 */
final class Term {

  private final FencedLease lease;

  // Guarded by this.
  private @Nullable Thread thread;
  private boolean over;
  private boolean stopped;
  private long stoppedAt;

  Term(FencedLease lease) {
    this.lease = lease;
  }

  FencedLease lease() {
    return lease;
  }

  /** Runs the listener, unless the term was stopped before; leaves no interrupt status behind. */
  void run(FencedLeaderListener listener) throws Exception {
    synchronized (this) {
      if (stopped) {
        over = true;
        return;
      }
      var unused = Thread.interrupted(); // It was not meant for this run.
      thread = Thread.currentThread();
    }
    try {
      listener.takeLeadership(lease);
    } finally {
      synchronized (this) {
        over = true;
        thread = null;
      }
      var unused = Thread.interrupted();
    }
  }

  /**
   * Interrupts the run, or keeps it from beginning. Once: what the listener does to clean up is not
   * interrupted again.
   *
   * @return whether this call did it
   */
  synchronized boolean stop() {
    if (stopped || over) {
      return false;
    }
    stopped = true;
    stoppedAt = System.nanoTime();
    if (thread != null) {
      thread.interrupt();
    }
    return true;
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /** When it was stopped, by {@link System#nanoTime}; now if that is not noticed yet. */
  synchronized long stoppedAt() {
    return stopped ? stoppedAt : System.nanoTime();
  }
}
