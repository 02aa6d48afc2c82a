package dev.fencing.harness.nemesis;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.harness.history.Fault;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * On MariaDB, two transactions of the old holder wait for each other's rows. The server rolls one
 * of them back, the lock of its check included, and its worker swallows error 1213; then the next
 * holder raises and reads, and only then the victim goes on writing on its connection.
 */
final class DeadlockVictim {

  private static final int DEADLOCK = 1213;
  private static final long BOUND_SECONDS = Duration.ofSeconds(30).toSeconds();
  private static final int LATE = 3;

  private final DataSource database;
  private final CyclicBarrier bothHaveOne = new CyclicBarrier(2);
  private final CountDownLatch victimFound = new CountDownLatch(1);
  private final CountDownLatch nextHasRead = new CountDownLatch(1);
  private final AtomicInteger victims = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();

  private DeadlockVictim(DataSource database) {
    this.database = database;
  }

  /** Does it once, with a resource of its own. */
  static Fault strike(Scene scene, Planned planned, long from) throws InterruptedException {
    var server = MariaDbServer.shared();
    if (server.isEmpty()) {
      return scene.missed(planned, from, "there is no MariaDB for this machine");
    }
    scene.stage().adopt("mariadbd");
    try {
      return new DeadlockVictim(server.get().dataSource())
          .strike(scene, planned, from, "old-" + from);
    } catch (SQLException e) {
      return scene.done(planned, from, null, false, e.toString());
    }
  }

  private Fault strike(Scene scene, Planned planned, long from, String resource)
      throws SQLException, InterruptedException {
    execute("DROP TABLE IF EXISTS deadlock");
    execute("CREATE TABLE deadlock (id int PRIMARY KEY, value int NOT NULL)");
    execute("INSERT INTO deadlock VALUES (1, 0), (2, 0), (" + LATE + ", 0)");
    JdbcFence fence = JdbcFence.of(database);
    fence.createSchema();
    long before = deadlocks();
    FencedResource old = fence.raise(resource, 1);
    List<Thread> threads = new ArrayList<>();
    for (int first : new int[] {1, 2}) {
      Thread thread = new Thread(() -> transaction(old, first, 3 - first), "deadlock-" + first);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    boolean found = victimFound.await(BOUND_SECONDS, TimeUnit.SECONDS);
    fence.raise(resource, 2);
    int read = late();
    nextHasRead.countDown();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(BOUND_SECONDS));
    }
    boolean landed = late() != read;
    long deadlocks = deadlocks() - before;
    Fault fault =
        scene.done(
            planned,
            from,
            null,
            found && deadlocks > 0 && (landed || refused.get() == 1),
            "Innodb_deadlocks rose by %d, %d worker swallowed 1213, %d late write was refused"
                .formatted(deadlocks, victims.get(), refused.get()));
    return fault.withHarm(
        landed ? "the write of a deadlock victim landed behind the next holder's read" : null);
  }

  private void transaction(FencedResource holder, int first, int second) {
    boolean[] victim = new boolean[1];
    try {
      holder.inTransaction(
          connection -> {
            increment(connection, first);
            meet();
            try {
              increment(connection, second);
            } catch (SQLException e) {
              if (e.getErrorCode() != DEADLOCK) {
                throw e;
              }
              victim[0] = true; // Swallowed, as careless code does.
              victims.incrementAndGet();
              victimFound.countDown();
              awaitNext();
              increment(connection, LATE);
            }
            return true;
          });
    } catch (SQLException | FencingException e) {
      if (victim[0]) {
        refused.incrementAndGet();
      }
    }
  }

  private void meet() {
    try {
      bothHaveOne.await(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException("the other transaction did not come", e);
    }
  }

  private void awaitNext() {
    try {
      if (!nextHasRead.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the next holder did not read");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void increment(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE deadlock SET value = value + 1 WHERE id = " + id);
    }
  }

  private int late() throws SQLException {
    return (int) number("SELECT value FROM deadlock WHERE id = " + LATE, 1);
  }

  private long deadlocks() throws SQLException {
    return number("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'", 2);
  }

  private long number(String sql, int column) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(column);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
