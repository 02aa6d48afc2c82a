package dev.fencing.examples.job;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import java.sql.SQLException;
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

  private final InterProcessFencedMutex election;
  private final JdbcFence fence;
  private final Ledger ledger;
  private final JobListener listener;

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
    this.election = new InterProcessFencedMutex(zookeeper, electionPath);
    this.fence = fence;
    this.ledger = ledger;
    this.listener = listener;
  }

  /**
   * Stands for election, works while leading, and returns when all interest is posted, by whomever.
   *
   * @throws StaleTokenException if two raises in a row are refused. One is a pause just after the
   *     election; two mean that ZooKeeper was rebuilt and its tokens restarted, so the process
   *     should end
   * @throws Exception what ZooKeeper or the database report; nothing of this process is half done
   */
  public void run() throws Exception {
    boolean finished = false;
    boolean refusedBefore = false;
    while (!finished) {
      // 1. The election: blocks until this process holds the lease.
      try (FencedLease lease = election.acquireLease()) {
        // 2. Raise the fence before the first read. The result is the only way into the database.
        FencedResource resource = fence.raise(RESOURCE, lease.token());
        refusedBefore = false;
        listener.leading(lease.token());
        finished = lead(lease, resource);
      } catch (StaleTokenException e) {
        if (refusedBefore) {
          throw e;
        }
        refusedBefore = true;
        listener.refused(e);
      }
    }
  }

  private boolean lead(FencedLease lease, FencedResource resource) throws SQLException {
    FencedResource current = resource;
    try {
      // Asking the lease saves useless work. It cannot keep a stale write out: only the fence can.
      while (lease.isLive()) {
        try {
          if (!postNextBatch(current)) {
            return true;
          }
        } catch (UnknownOutcomeException e) {
          // The answer to COMMIT never came. Once renewed, nothing of the old handle can still
          // land, so the position that is read next tells whether the batch was written.
          current = current.renew();
        }
      }
    } catch (StaleTokenException e) {
      // 4. There is a newer leader. Nothing of the refused transaction has happened.
      listener.refused(e);
      return false;
    }
    listener.leaseLost(lease.token());
    return false;
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
