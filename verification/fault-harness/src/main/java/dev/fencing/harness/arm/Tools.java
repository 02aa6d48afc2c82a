package dev.fencing.harness.arm;

import dev.fencing.jdbc.FencedTable;
import dev.fencing.jdbc.JdbcFence;
import java.time.Duration;
import javax.sql.DataSource;

/** What a thread of a worker builds once and keeps. */
public final class Tools {

  private final JdbcFence fence;
  private final FencedTable table;
  private final Lock lock;

  /**
   * @param raise how long a raise may take
   * @param idle how long a transaction may stand idle
   */
  public Tools(DataSource database, Lock lock, Duration raise, Duration idle) {
    this.fence =
        JdbcFence.builder(database)
            .raiseTimeout(raise)
            .checkTimeout(raise)
            .idleInTransactionTimeout(idle)
            .build();
    this.table =
        FencedTable.builder(database, "guarded")
            .key("key")
            .claimColumn("claim_id")
            .timeout(raise)
            .build();
    this.lock = lock;
  }

  JdbcFence fence() {
    return fence;
  }

  FencedTable table() {
    return table;
  }

  public Lock lock() {
    return lock;
  }
}
