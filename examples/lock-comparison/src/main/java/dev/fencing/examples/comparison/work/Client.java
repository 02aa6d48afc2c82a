package dev.fencing.examples.comparison.work;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Lock;
import dev.fencing.examples.comparison.arm.Setup;
import dev.fencing.examples.comparison.arm.Store;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.io.IOException;
import java.time.Duration;

/** A client of an arm: its lock, its connections, and its way to write. For one thread. */
public final class Client implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final int WARM_UPS = 20;

  private final int worker;
  private final Setup setup;
  private final HikariDataSource pool;
  private final Lock lock;
  private final Store store;

  private Client(int worker, Setup setup, HikariDataSource pool, Lock lock, Store store) {
    this.worker = worker;
    this.setup = setup;
    this.pool = pool;
    this.lock = lock;
    this.store = store;
  }

  /** Connects to the servers of an arm. */
  public static Client connect(Arm arm, Setup setup, int worker) throws Exception {
    HikariDataSource pool = setup.pool(CONNECTIONS);
    Lock lock = null;
    try {
      lock = arm.lock(setup, pool);
      return new Client(worker, setup, pool, lock, arm.store(setup, pool, lock));
    } catch (Exception e) {
      if (lock != null) {
        lock.close();
      }
      pool.close();
      throw e;
    }
  }

  /** The lease that the server has granted, in milliseconds; 0 if there is none. */
  public long leaseMillis() throws Exception {
    return lock.leaseMillis();
  }

  /** Runs on a row of its own: classes are loaded, connections are made, and nobody waits. */
  public void warmUp() throws IOException {
    warmUp(WARM_UPS);
  }

  /** The same so often. */
  public void warmUp(int rounds) throws IOException {
    Planned planned = new Planned(0, setup.workload().warmUpRow(worker), 1, 0, false, false);
    for (int i = 1; i <= rounds; i++) {
      Transaction done = run(planned, Duration.ZERO, () -> {});
      if (i == rounds && done.outcome() != Outcome.WRITTEN) {
        throw new IOException(
            "the last of %d warm-ups is %s: %s".formatted(rounds, done.outcome(), done.detail()));
      }
    }
  }

  /** Makes one attempt. */
  public Transaction run(Planned planned, Attempt.Mark mark) {
    return run(planned, Duration.ofMillis(setup.thinkMillis()), mark);
  }

  private Transaction run(Planned planned, Duration think, Attempt.Mark mark) {
    return Attempt.run(
        planned, worker, lock, store, Duration.ofMillis(setup.waitMillis()), think, mark);
  }

  @Override
  public void close() {
    try (pool) {
      lock.close();
    }
  }
}
