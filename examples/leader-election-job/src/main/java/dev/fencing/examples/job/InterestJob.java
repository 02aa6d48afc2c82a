package dev.fencing.examples.job;

import dev.fencing.curator.FencedLeaderSelector;
import dev.fencing.curator.FencedLeaderSelector.Phase;
import dev.fencing.curator.FencedLease;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;

/**
 * Posts interest to every account of the ledger, as one of several processes that do the same.
 *
 * <p>One process leads and works; when it ends, dies or is paused for longer than its session, the
 * next one goes on at the committed position. Each account gets its interest exactly once.
 */
public final class InterestJob {

  /** The resource that is fenced, and the key of the job's position. */
  public static final String RESOURCE = "interest-2026-11";

  /** So many failures in a row, within some seconds, do not heal by trying again. */
  private static final int MOST_FAILURES = 10;

  private final CuratorFramework zookeeper;
  private final String electionPath;
  private final JdbcFence fence;
  private final Ledger ledger;
  private final JobListener listener;
  private final CountDownLatch finished = new CountDownLatch(1);

  /**
   * Makes the job of one process.
   *
   * @param zookeeper a started client
   * @param electionPath the same path in all processes
   * @param fence the fence in the database that also holds the ledger
   * @param ledger the job's SQL
   * @param listener is told what happens
   */
  public InterestJob(
      CuratorFramework zookeeper,
      String electionPath,
      JdbcFence fence,
      Ledger ledger,
      JobListener listener) {
    this.zookeeper = zookeeper;
    this.electionPath = electionPath;
    this.fence = fence;
    this.ledger = ledger;
    this.listener = listener;
  }

  /**
   * Stands for election, works while leading, and returns when all interest is posted, by whomever.
   *
   * @throws IllegalStateException if the election has ended, or 10 attempts in a row have failed;
   *     its cause is the last failure, and nothing of this process is half done. With a {@link
   *     StaleTokenException} ZooKeeper was rebuilt and its tokens restarted
   * @throws InterruptedException if interrupted while waiting for the end; this process has left
   *     the election
   */
  public void run() throws InterruptedException {
    // 1. The election: has lead() called whenever this process holds the lease.
    try (var election = new FencedLeaderSelector(zookeeper, electionPath, this::lead)) {
      election.start();
      while (!finished.await(1, TimeUnit.SECONDS)) {
        FencedLeaderSelector.State state = election.state();
        if (state.phase() == Phase.FAILED || state.failuresInARow() >= MOST_FAILURES) {
          throw new IllegalStateException(
              "the election is %s after %d failures in a row"
                  .formatted(state.phase(), state.failuresInARow()),
              state.lastFailure().orElse(null));
        }
      }
    }
  }

  /** Leads until the work is done, or the lease is lost. What it throws, the election counts. */
  private void lead(FencedLease lease) throws SQLException {
    try {
      // 2. Raise the fence before the first read. The result is the only way into the database.
      FencedResource resource = fence.raise(RESOURCE, lease.token());
      listener.leading(lease.token());
      // Asking the lease saves useless work. It cannot keep a stale write out: only the fence can.
      while (lease.isLive() && !Thread.currentThread().isInterrupted()) {
        try {
          if (!postNextBatch(resource)) {
            finished.countDown();
            return;
          }
        } catch (UnknownOutcomeException e) {
          // The answer to COMMIT never came. Once renewed, nothing of the old handle can still
          // land, so the position that is read next tells whether the batch was written.
          resource = resource.renew();
        }
      }
      if (!lease.isLive()) {
        listener.leaseLost(lease.token());
      }
    } catch (StaleTokenException e) {
      // 4. There is a newer leader. Nothing of the refused transaction has happened.
      listener.refused(e);
      throw e;
    }
  }

  private boolean postNextBatch(FencedResource resource) throws SQLException {
    listener.depositsBooked(resource.inTransaction(ledger::bookDeposits));
    // 3. Read in one fenced transaction, ...
    Batch batch = resource.inTransaction(ledger::read);
    if (batch.isEmpty()) {
      return false;
    }
    // ... compute with no transaction open, because this may take long, ...
    Batch computed = batch.withInterest();
    listener.computed(computed);
    // ... and write in another one. A leader that slept in between is refused here.
    resource.inTransaction(connection -> ledger.write(connection, computed));
    listener.written(computed);
    return true;
  }
}
