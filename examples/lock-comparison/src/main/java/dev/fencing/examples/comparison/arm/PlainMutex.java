package dev.fencing.examples.comparison.arm;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/** Curator's own {@code InterProcessMutex}. */
final class PlainMutex extends CuratorLock {

  PlainMutex(String address, Duration session) throws IOException, InterruptedException {
    super(address, session);
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    // A new one each time: one that has lost its session would still call itself acquired.
    InterProcessMutex mutex = new InterProcessMutex(client(), path(resource));
    return mutex.acquire(wait.toMillis(), TimeUnit.MILLISECONDS) ? new Held(mutex) : null;
  }

  private final class Held implements Hold {

    private final InterProcessMutex mutex;

    private Held(InterProcessMutex mutex) {
      this.mutex = mutex;
    }

    @Override
    public long token() {
      return 0;
    }

    /** All that one can ask it. */
    @Override
    public boolean seemsHeld() {
      return mutex.isOwnedByCurrentThread() && client().getZookeeperClient().isConnected();
    }

    @Override
    public void release() throws Exception {
      try {
        mutex.release();
      } catch (KeeperException lost) {
        // The session took the node with it.
      }
    }
  }
}
