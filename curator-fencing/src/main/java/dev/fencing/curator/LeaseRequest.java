package dev.fencing.curator;

import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/** The wait for a lease without a thread that waits. Thread-safe. */
final class LeaseRequest {

  private final LockQueue queue;
  private final Deadline deadline = Deadline.none();
  private final CompletableFuture<FencedLease> lease = new CompletableFuture<>();
  private @Nullable Contender current; // Guarded by this.
  private int fruitless; // Of the attempt that is going on.

  private LeaseRequest(LockQueue queue) {
    this.queue = queue;
  }

  /** Asks for the lock; whoever completes the future otherwise, cancels the request. */
  static CompletableFuture<FencedLease> send(LockQueue queue) {
    LeaseRequest request = new LeaseRequest(queue);
    try {
      request.attempt();
    } catch (RuntimeException e) { // From the user's node data.
      request.lease.completeExceptionally(e);
    }
    var unused = request.lease.whenComplete((lease, e) -> request.giveUp());
    return request.lease;
  }

  private void attempt() {
    Contender contender = queue.contend(deadline, null);
    synchronized (this) {
      current = contender;
    }
    // Not on the thread that brings the news: what depends on the future may block.
    var unused = contender.outcome().thenAcceptAsync(this::endedSafely, Callbacks.users());
    if (lease.isDone()) {
      giveUp();
    }
  }

  private void endedSafely(Outcome outcome) {
    try {
      ended(outcome);
    } catch (Throwable e) { // From the user's node data or retry policy.
      lease.completeExceptionally(e);
    }
  }

  private void ended(Outcome outcome) {
    if (outcome instanceof Outcome.Granted granted) {
      FencedLease granting = new FencedLease(granted.node());
      if (!lease.complete(granting)) {
        var unused = granting.closeAsync();
      }
    } else if (outcome instanceof Outcome.Failed failed) {
      lease.completeExceptionally(queue.whyFailed(failed));
    } else if (outcome instanceof Outcome.NodeGone gone && !lease.isDone()) {
      fruitless = gone.hadPlaceInQueue() ? 0 : fruitless + 1;
      if (fruitless == 0 || queue.mayRetry(fruitless - 1, deadline)) {
        attempt();
      } else {
        KeeperException why = queue.nodeGone();
        lease.completeExceptionally(why);
      }
    }
  }

  /** Does nothing after a grant, which has completed the future or is released by it. */
  private void giveUp() {
    Contender contender;
    synchronized (this) {
      contender = current;
    }
    if (contender != null) {
      contender.giveUp();
    }
  }
}
