package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.Batch;
import dev.fencing.examples.job.JobListener;
import dev.fencing.examples.job.Ledger;
import dev.fencing.jdbc.TransactionWork;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;

/**
 * How the job is often written, and how it goes wrong: a plain lock, and writes that nobody checks.
 *
 * <p>It even stops as soon as Curator reports that the session is lost. That report comes too late
 * for a leader that was paused between its read and its write.
 */
final class UnfencedJob {

  private final InterProcessMutex election;
  private final DataSource database;
  private final Ledger ledger;
  private final JobListener listener;
  private volatile boolean lost;

  UnfencedJob(
      CuratorFramework zookeeper,
      String electionPath,
      DataSource database,
      Ledger ledger,
      JobListener listener) {
    this.election = new InterProcessMutex(zookeeper, electionPath);
    this.database = database;
    this.ledger = ledger;
    this.listener = listener;
    zookeeper
        .getConnectionStateListenable()
        .addListener((client, state) -> lost |= state == ConnectionState.LOST);
  }

  void run() throws Exception {
    boolean finished = false;
    while (!finished) {
      election.acquire();
      try {
        lost = false;
        listener.leading(0);
        finished = lead();
      } finally {
        election.release();
      }
    }
  }

  private boolean lead() throws SQLException {
    while (!lost) {
      listener.depositsBooked(inTransaction(ledger::bookDeposits));
      Batch batch = inTransaction(ledger::read);
      if (batch.isEmpty()) {
        return true;
      }
      Batch computed = batch.withInterest();
      listener.computed(computed);
      // Wrong: whoever wakes here overwrites what the next leader has written.
      inTransaction(connection -> ledger.write(connection, computed));
      listener.written(computed);
    }
    return false;
  }

  private <T> T inTransaction(TransactionWork<T, SQLException> work) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      T result = work.run(connection);
      connection.commit();
      return result;
    }
  }
}
