package dev.fencing.curator;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The holds that threads have by way of one mutex object, at most one each. Thread-safe. */
final class ThreadHolds {

  private static final System.Logger LOG = System.getLogger(ThreadHolds.class.getName());

  private final ConcurrentMap<Thread, Hold> holds = new ConcurrentHashMap<>();
  private volatile @Nullable Runnable revocation;

  ConcurrentMap<Thread, Hold> byThread() {
    return holds;
  }

  /** What to run when somebody asks for a lock that is acquired from now on. */
  void onRevocation(Runnable requested) {
    revocation = requested;
  }

  /** Returns the hold of the calling thread, null if it has none or has called its last release. */
  @Nullable Hold current() {
    Hold hold = holds.get(Thread.currentThread());
    return hold != null && hold.isEntered() ? hold : null;
  }

  boolean isAny() {
    return holds.values().stream().anyMatch(Hold::isEntered);
  }

  /** Returns the node of the calling thread's hold, also of one whose release has failed. */
  @Nullable String nodePath() {
    Hold hold = holds.get(Thread.currentThread());
    return hold == null ? null : hold.node().path();
  }

  /**
   * Enters again, or waits in the queue.
   *
   * @param unit null to wait for as long as it takes
   * @return false if the time was up while somebody else held the lock
   */
  boolean acquire(LockQueue queue, long time, @Nullable TimeUnit unit) throws Exception {
    Hold hold = current();
    if (hold != null) {
      hold.enterAgain();
      return true;
    }
    LockNode node =
        queue.enter(unit == null ? Deadline.none() : Deadline.in(time, unit), revocation);
    if (node == null) {
      return false;
    }
    holds.put(Thread.currentThread(), new Hold(node));
    return true;
  }

  /** Leaves once; after the last time the node is deleted. */
  void release(LockQueue queue) throws Exception {
    Hold hold = holds.get(Thread.currentThread());
    if (hold == null) {
      throw new IllegalMonitorStateException("You do not own the lock: " + queue.lockPath());
    }
    if (!hold.leave()) {
      return;
    }
    LockNode node = hold.node();
    if (!node.close() && node.isLost()) {
      holds.remove(Thread.currentThread());
      LOG.log(WARNING, "The lock was lost before it was released: {0}, {1}", node, node.whyLost());
      return;
    }
    try {
      queue.delete(node);
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (!node.hasSessionEnded()) {
        throw e;
      }
      LOG.log(DEBUG, "The session ended while the lock was released: " + node, e);
    }
    holds.remove(Thread.currentThread());
  }
}
