package dev.fencing.curator;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.WARNING;

import dev.fencing.curator.FencedLeaderSelector.Phase;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of a selector does: acquire, have the listener lead, release, begin again.
 *
 * <p>Its own waits end by a future that completes, never by an interrupt. Whoever interrupts this
 * thread from outside cannot end the election: only a closed selector or a closed client does.
 */
final class ElectionLoop implements Runnable {

  private static final System.Logger LOG = System.getLogger(ElectionLoop.class.getName());

  /** Whoever has led for so long does not fail any more. */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long FIRST_BACKOFF_MS = 50;
  private static final long LONGEST_BACKOFF_MS = 500;

  private record Now(Phase phase, long since, int failuresInARow, @Nullable Throwable last) {}

  private final LockQueue queue;
  private final FencedLeaderListener listener;
  private final CompletableFuture<Void> closing = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final ConnectionStateListener connection =
      (client, state) -> {
        if (state == ConnectionState.SUSPENDED) {
          disconnectedAt = System.nanoTime();
        }
      };

  private volatile long disconnectedAt = System.nanoTime();
  private volatile Now now = new Now(Phase.NEW, System.nanoTime(), 0, null);
  private volatile @Nullable Contender attempt;
  private volatile @Nullable Term term;

  // For the loop's own thread.
  private int failuresInARow;
  private int failedTermsInARow;
  private CompletableFuture<Void> release = CompletableFuture.completedFuture(null);

  ElectionLoop(LockQueue queue, FencedLeaderListener listener) {
    this.queue = queue;
    this.listener = listener;
  }

  /** The run of takeLeadership that is going on, null if there is none. */
  @Nullable Term term() {
    return term;
  }

  /** Completes when the loop has ended and its last node is deleted. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  FencedLeaderSelector.State state() {
    Now seen = now;
    Phase phase = seen.phase;
    long since = seen.since;
    Term current = term;
    if (phase == Phase.LEADING
        && current != null
        && (current.isStopped() || !current.lease().isLive())) {
      phase = Phase.STEPPING_DOWN;
      since = current.stoppedAt();
    } else if (phase == Phase.WAITING && !isConnected()) {
      phase = Phase.DISCONNECTED;
      since = disconnectedAt - since > 0 ? disconnectedAt : since;
    }
    boolean steady = seen.phase == Phase.LEADING && System.nanoTime() - seen.since > STEADY_NANOS;
    return new FencedLeaderSelector.State(
        phase,
        Duration.ofNanos(System.nanoTime() - since),
        steady ? 0 : seen.failuresInARow,
        Optional.ofNullable(seen.last));
  }

  /** Ends the loop as soon as takeLeadership lets it. Does not block. */
  void close(boolean interrupt) {
    closing.complete(null);
    Contender waiting = attempt;
    if (waiting != null) {
      waiting.giveUp();
    }
    Term current = term;
    if (current != null && interrupt) {
      current.stop();
    }
  }

  /** Ends a loop that no thread runs. */
  void neverRuns(Phase phase, @Nullable Throwable why) {
    enter(phase, why);
    ended.complete(null);
  }

  @Override
  public void run() {
    queue.client().getConnectionStateListenable().addListener(connection);
    try {
      while (!closing.isDone()) {
        round();
      }
      enter(Phase.CLOSED, null);
    } catch (Throwable e) {
      failuresInARow++;
      enter(Phase.FAILED, e);
      LOG.log(
          isClientClosed() ? WARNING : ERROR,
          "The election on %s has ended though nobody closed its selector: %s. This process does"
                  .formatted(queue.lockPath(), e)
              + " not stand for election any more. On shutdown close the selector before the client;"
              + " otherwise start a new selector",
          e);
    } finally {
      queue.client().getConnectionStateListenable().removeListener(connection);
      if (isConnected()) {
        var unused = release.whenComplete((v, e) -> ended.complete(null));
      } else {
        ended.complete(null);
      }
    }
  }

  private void round() {
    try {
      enter(Phase.WAITING, null);
      FencedLease lease = acquire();
      if (lease != null) {
        failuresInARow = failedTermsInARow;
        lead(lease);
      }
    } catch (Throwable e) {
      if (isClientClosed()) {
        throw new IllegalStateException("the Curator client is closed", e);
      }
      backOff("could not stand for election", e);
    }
  }

  /** Waits for the lease; returns null when it was told to close. */
  private @Nullable FencedLease acquire() throws Exception {
    while (!closing.isDone()) {
      Contender contender = queue.contend(Deadline.none(), null);
      attempt = contender;
      if (closing.isDone()) { // close() may have looked for the attempt too early.
        contender.giveUp();
      }
      Outcome outcome = await(contender);
      if (outcome instanceof Outcome.Granted granted) {
        return new FencedLease(granted.node());
      } else if (outcome instanceof Outcome.Failed failed) {
        throw queue.whyFailed(failed);
      } else if (outcome instanceof Outcome.NodeGone gone && !gone.hadPlaceInQueue()) {
        throw queue.nodeGone();
      }
      release = contender.cleanedUp();
    }
    return null;
  }

  private Outcome await(Contender contender) throws ExecutionException {
    while (true) {
      try {
        return contender.outcome().get();
      } catch (InterruptedException e) {
        LOG.log(DEBUG, "An interrupt does not end the election on {0}", queue.lockPath());
      }
    }
  }

  private void lead(FencedLease lease) {
    Term leading = new Term(lease);
    term = leading;
    enter(Phase.LEADING, null);
    if (closing.isDone()) {
      leading.stop();
    }
    Throwable thrown = null;
    try {
      lease.onLost(lost -> leading.stop());
      leading.run(listener);
    } catch (Throwable e) {
      thrown = e;
    }
    boolean toldToStop = leading.isStopped() || !lease.isLive();
    if (System.nanoTime() - now.since > STEADY_NANOS) {
      failedTermsInARow = 0;
      failuresInARow = 0;
    }
    enter(Phase.WAITING, null);
    term = null;
    release = lease.closeAsync();
    if (thrown == null) {
      failedTermsInARow = 0;
      failuresInARow = 0;
    } else if (toldToStop && thrown instanceof Exception) {
      LOG.log(
          thrown instanceof InterruptedException || thrown instanceof LeaseLostException
              ? DEBUG
              : WARNING,
          "Election on %s: takeLeadership with token %d was told to stop and threw %s"
              .formatted(queue.lockPath(), lease.token(), thrown),
          thrown);
    } else {
      failedTermsInARow++;
      backOff("takeLeadership with token " + lease.token() + " threw", thrown);
    }
  }

  private void backOff(String what, Throwable why) {
    failuresInARow++;
    long pause = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS << Math.min(failuresInARow - 1, 10));
    // The first, the second, the fourth ...: an outage of hours must not fill the log.
    LOG.log(
        Integer.bitCount(failuresInARow) == 1 ? (why instanceof Error ? ERROR : WARNING) : DEBUG,
        "Election on %s: %s: %s (failure %d in a row; the next attempt follows in %d ms)"
            .formatted(queue.lockPath(), what, why, failuresInARow, pause),
        why);
    enter(Phase.BACKING_OFF, why);
    try {
      closing.get(pause, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | InterruptedException | ExecutionException e) {
      // On with the election.
    }
  }

  void enter(Phase phase, @Nullable Throwable failure) {
    now = new Now(phase, System.nanoTime(), failuresInARow, failure == null ? now.last : failure);
  }

  private boolean isClientClosed() {
    return queue.client().getState() == CuratorFrameworkState.STOPPED;
  }

  private boolean isConnected() {
    return queue.client().getZookeeperClient().isConnected();
  }
}
