package dev.fencing.curator;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;

/**
 * One hold of a lock, as a value: a fencing token and the right to give the lock back.
 *
 * <p>A lease is not bound to a thread; it may be handed to another one and closed there. Its token
 * never changes. It ends when it is closed or when the ZooKeeper session that it was acquired in
 * ends, and it never comes back to life: after a reconnect in a new session a new lease is needed.
 * A connection that is lost and found again within the session changes nothing.
 *
 * <p>Thread-safe. Only {@link #close()} blocks.
 */
public final class FencedLease implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(FencedLease.class.getName());

  private final CuratorFramework client;
  private final LockNode node;
  private final AtomicBoolean closed = new AtomicBoolean();

  FencedLease(CuratorFramework client, LockNode node) {
    this.client = client;
    this.node = node;
  }

  /**
   * Returns the fencing token of this hold, greater than 0.
   *
   * <p>It is the same number for ever, also after the lease was lost or closed; the resource that
   * it fences refuses it then.
   */
  public long token() {
    return node.token();
  }

  /** Returns the path of the lock, as it was given to the mutex; not that of the lock node. */
  public String lockPath() {
    return node.lockPath();
  }

  /**
   * Returns whether this process believes that the lease is held. Does not block and does no I/O.
   *
   * <p>{@code false} is certain and final: the lease was closed, or the client was closed, or its
   * session has ended. {@code true} is a belief: a process that was paused, or is cut off, learns
   * of the end of its session only when it runs and is connected again, and a node that somebody
   * else deleted goes unnoticed. So use it to stop early, and the token to be right.
   */
  public boolean isLive() {
    return !closed.get() && !node.isLost();
  }

  /**
   * Throws unless {@link #isLive()}. Does not block and does no I/O.
   *
   * @throws LeaseLostException if the lease was closed or is known to be lost; the lease is
   *     unchanged
   */
  public void requireLive() {
    if (closed.get()) {
      throw new LeaseLostException(
          lockPath(),
          token(),
          "the lease on %s (token %d) was closed by its holder; acquire a new one"
              .formatted(lockPath(), token()));
    }
    node.requireNotLost();
  }

  /**
   * Gives the lock back: deletes the lock node of this lease and no other. Throws nothing, so that
   * a {@code finally} or a try-with-resources hides no error.
   *
   * <p>Blocks until ZooKeeper has answered, or until Curator's retries are exhausted, which takes
   * as long as said at {@link InterProcessFencedMutex#acquireAndGetToken(java.time.Duration)}. If
   * the delete did not get through, a WARNING is logged and Curator goes on in the background while
   * the client lives; the session takes the node with it at the latest. An interrupted thread keeps
   * its status and does not wait: the delete goes on in the background too, without a warning. A
   * lease that is already lost is cleaned up in the background without blocking. Further calls do
   * nothing. On return the lease is closed for good, in every case.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      if (!node.isLost()) {
        client.delete().quietly().guaranteed().forPath(node.path());
      } else if (client.getState() == CuratorFrameworkState.STARTED) {
        // A session that only the client has given up keeps its node until the server times it out.
        LockNode.deleteInBackground(client, node.path());
      }
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      LOG.log(
          node.isLost() || e instanceof InterruptedException ? DEBUG : WARNING,
          "The lease on %s (token %d) is closed, but its node %s is not deleted yet."
                  .formatted(lockPath(), token(), node)
              + " Curator goes on in the background if the cause is one that passes; the end of the"
              + " session deletes it at the latest. Until then nobody else gets the lock.",
          e);
    }
  }

  /** Returns the lock path, the token and whether the lease is live, for logs. */
  @Override
  public String toString() {
    return "FencedLease[%s, token %d, %s]"
        .formatted(lockPath(), token(), closed.get() ? "closed" : node.isLost() ? "lost" : "live");
  }
}
