package dev.fencing.benchmarks;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Acquires a lock, does something under it, and releases it. */
@FunctionalInterface
interface Cycle {

  void run(Runnable underLock) throws Exception;

  /** Makes the cycle of one mutex object. */
  @FunctionalInterface
  interface Maker {
    Cycle on(CuratorFramework client, String path);
  }

  static Cycle curator(CuratorFramework client, String path) {
    return of(new InterProcessMutex(client, path));
  }

  static Cycle fenced(CuratorFramework client, String path) {
    return of(new InterProcessFencedMutex(client, path));
  }

  /** The release is sent, and not waited for. */
  static Cycle fencedAsync(CuratorFramework client, String path) {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    return underLock -> {
      FencedLease lease = mutex.acquireLease();
      underLock.run();
      var unused = lease.closeAsync();
    };
  }

  private static Cycle of(InterProcessMutex mutex) {
    return underLock -> {
      mutex.acquire();
      try {
        underLock.run();
      } finally {
        mutex.release();
      }
    };
  }
}
