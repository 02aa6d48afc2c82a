package dev.fencing.curator;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.WARNING;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One hold of a lock, as a value: a fencing token and the right to give the lock back.
 *
 * <p>A lease is not bound to a thread; it may be handed to another one and closed there. Its token
 * never changes. It ends when it is closed or when the ZooKeeper session that it was acquired in
 * ends, and it never comes back to life: after a reconnect in a new session a new lease is needed.
 * A connection that is lost and found again within the session changes nothing.
 *
 * <p>Thread-safe. Only {@link #close()} and {@link #verify} block.
 */
public final class FencedLease implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(FencedLease.class.getName());

  private final LockNode node;

  /**
   * @param node a held one
   */
  FencedLease(LockNode node) {
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
    return node.queue().lockPath();
  }

  /**
   * Returns whether this process believes that the lease is held. Does not block and does no I/O.
   *
   * <p>{@code false} is final: the lease was closed, or the client was closed, or its session has
   * ended, or this process did not run for longer than the session lasts, or somebody else is known
   * to have deleted its node. {@code true} is a belief: a process that is cut off learns of the end
   * of its session only when it is connected again; one that was paused can be too late by the time
   * it looks, and a pause in which the machine's own clock stood still is not seen at all; and that
   * somebody else deleted the node goes unnoticed unless there is a {@linkplain #onLost listener}
   * or {@link #verify} asks. So use it to stop early, and the token to be right.
   */
  public boolean isLive() {
    return !node.isLost() && node.state().isLive();
  }

  /**
   * Throws unless {@link #isLive()}. Does not block and does no I/O.
   *
   * @throws LeaseLostException if the lease was closed or is known to be lost; the lease is
   *     unchanged
   */
  public void requireLive() {
    node.requireNotLost();
    if (node.state().isClosed()) {
      throw new LeaseLostException(
          lockPath(),
          token(),
          "the lease on %s (token %d) was closed by its holder; acquire a new one"
              .formatted(lockPath(), token()));
    }
  }

  /**
   * Asks ZooKeeper whether the lock node of this lease is there. Blocks for no longer than {@code
   * bound}.
   *
   * <p>{@code true} says that the lease was held when the server answered; it may be lost since. It
   * is no substitute for the fence. {@code false} says either that the lease is over, and then
   * {@link #isLive()} is false too from now on, or that no answer came in time, which changes
   * nothing. The server that answers may lag behind the ensemble by some seconds.
   *
   * @param bound the longest wait; zero or less asks nobody and returns false
   * @throws NullPointerException if {@code bound} is null
   * @throws InterruptedException if the thread is interrupted while it waits; it stays interrupted,
   *     and the lease is unchanged
   * @throws IllegalStateException if called on ZooKeeper's or Curator's own threads, which would
   *     have to bring the answer
   */
  public boolean verify(Duration bound) throws InterruptedException {
    Deadline deadline = Deadline.in(bound);
    Callbacks.requireMayWait(lockPath());
    if (!isLive() || deadline.isOver()) {
      return false;
    }
    try {
      return node.exists().get(deadline.left(), TimeUnit.NANOSECONDS) && isLive();
    } catch (TimeoutException | ExecutionException e) {
      LOG.log(DEBUG, "Whether " + this + " is held could not be asked", e);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // As every wait of this library leaves it.
      throw e;
    }
  }

  /**
   * Has a listener told when this lease gets lost: once, on a thread of the library's.
   *
   * <p>At once if it is lost already, and never once the holder has closed it. Told within a second
   * of this process running and being connected again. With a listener the node is watched too, by
   * one request that nobody waits for. Does not block.
   *
   * @param listener may block, one of the library's 256 threads; what it throws is logged
   * @throws NullPointerException if {@code listener} is null
   */
  public void onLost(LeaseLostListener listener) {
    Objects.requireNonNull(listener, "listener");
    node.state()
        .onLost(
            () -> {
              try {
                listener.leaseLost(this);
              } catch (RuntimeException e) {
                LOG.log(ERROR, "A listener failed that was told of the loss of " + this, e);
              }
            });
    if (isLive()) {
      node.watch(null);
    }
  }

  /**
   * Gives the lock back: deletes the lock node of this lease and no other. Throws nothing, so that
   * a {@code finally} or a try-with-resources hides no error.
   *
   * <p>Blocks until ZooKeeper has answered, or until Curator's retries are exhausted (its retry
   * policy, each attempt bounded by the connection timeout). If the delete did not get through, or
   * the calling thread is interrupted, which it stays, the delete goes on in the background while
   * the client lives, with a WARNING unless it was an interrupt; the session takes the node with it
   * at the latest. The node of a lost lease is cleaned up in the background as soon as the loss is
   * known. Further calls do nothing. On return the lease is over, in every case.
   */
  @Override
  public void close() {
    if (!node.close()) {
      return;
    }
    try {
      node.queue().delete(node);
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      LOG.log(
          node.hasSessionEnded() || e instanceof InterruptedException ? DEBUG : WARNING,
          "The lease on %s (token %d) is closed, but its node %s is not deleted yet."
                  .formatted(lockPath(), token(), node)
              + " The delete goes on in the background while the client lives; the end of the"
              + " session deletes it at the latest. Until then nobody else gets the lock.",
          e);
    }
  }

  /**
   * Gives the lock back without waiting: returns when the delete is sent.
   *
   * <p>What the same client asks for afterwards is sent behind it, so that an acquire that follows
   * does not wait for this lease. If the connection is lost, the delete is sent again until it is
   * answered.
   *
   * @return completes on a thread of the library's when the lock node is gone, at once if the lease
   *     was over already; exceptionally if the client was closed first or ZooKeeper refused, and
   *     the end of the session deletes the node
   */
  public CompletableFuture<Void> closeAsync() {
    if (!node.close()) {
      return CompletableFuture.completedFuture(null);
    }
    return node.queue().deleteInBackground(node).thenAcceptAsync(gone -> {}, Callbacks.users());
  }

  /** Returns the lock path, the token and whether the lease is live, for logs. */
  @Override
  public String toString() {
    String state = isLive() ? "live" : node.state().isClosed() ? "closed" : "lost";
    return "FencedLease[%s, token %d, %s]".formatted(lockPath(), token(), state);
  }
}
