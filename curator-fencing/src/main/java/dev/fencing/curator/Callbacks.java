package dev.fencing.curator;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The library's own threads: those on which its users are called back, never ZooKeeper's event
 * thread, and those for its own work that may block. Daemons that end when they are idle.
 */
final class Callbacks {

  /** So that a thousand leases that are lost at once do not take the threads of the process. */
  private static final int MOST_FOR_USERS = 256;

  private static final int MOST_FOR_CHORES = 4;
  private static final int IDLE_SECONDS = 10;

  private static final Executor USERS = pool("fencing-callback-", MOST_FOR_USERS);
  private static final Executor CHORES = pool("fencing-chore-", MOST_FOR_CHORES);

  private Callbacks() {}

  /** Runs what belongs to a user, who may block. */
  static Executor users() {
    return USERS;
  }

  /** Runs what the library has to do and what may block for a while, such as a retry policy. */
  static Executor chores() {
    return CHORES;
  }

  /**
   * Refuses to wait on a thread that would have to bring what ends the wait.
   *
   * <p>ZooKeeper's are known by their class, Curator's by the names that it gives them by default.
   *
   * @throws IllegalStateException on such a thread
   */
  static void requireMayWait(String lockPath) {
    Thread thread = Thread.currentThread();
    if (thread.getClass().getName().startsWith("org.apache.zookeeper.ClientCnxn$")
        || thread.getName().startsWith("Curator-Framework-")
        || thread.getName().startsWith("Curator-ConnectionStateManager-")) {
      throw new IllegalStateException(
          "waiting for the lock %s on %s, which delivers the events that end the wait: hand the"
                  .formatted(lockPath, thread.getName())
              + " work to an executor of your own, or use acquireLeaseAsync()");
    }
  }

  /** Makes daemons that inherit nothing from the thread that happens to need them first. */
  static ThreadFactory daemons(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(null, work, prefix + number.incrementAndGet(), 0, false);
      thread.setContextClassLoader(null);
      thread.setDaemon(true);
      return thread;
    };
  }

  private static Executor pool(String prefix, int most) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons(prefix));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
