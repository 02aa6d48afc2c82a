package dev.fencing.harness.arm;

import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.FencingException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A holder that has lost its lock and goes on with many short transactions side by side. */
public final class Zombie {

  private static final int CONNECTIONS = 16;

  private final FencedResource handle;
  private final AtomicLong longest = new AtomicLong();
  private final AtomicLong count = new AtomicLong();

  Zombie(FencedResource handle) {
    this.handle = handle;
  }

  /** Loops until the fence refuses it, or {@code bound} is over. */
  public void haunt(Duration bound) throws InterruptedException {
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      Thread thread = new Thread(() -> loop(start + bound.toNanos()), "zombie-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join(bound.toMillis() + 30_000);
    }
  }

  /** How many transactions were committed. */
  public long count() {
    return count.get();
  }

  /** The longest of them, in milliseconds. */
  public long longestMillis() {
    return Duration.ofNanos(longest.get()).toMillis();
  }

  private void loop(long end) {
    while (System.nanoTime() - end < 0 && handle.isUsable()) {
      long begin = System.nanoTime();
      try {
        handle.inTransaction(Zombie::sleepALittle);
        count.incrementAndGet();
        longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
      } catch (FencingException | SQLException refused) {
        return;
      }
    }
  }

  private static boolean sleepALittle(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute("SELECT pg_sleep(0.01)");
    }
  }
}
