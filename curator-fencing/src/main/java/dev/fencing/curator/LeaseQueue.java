package dev.fencing.curator;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.jspecify.annotations.Nullable;

/**
 * A contender for one lease.
 *
 * <p>A mutex object of its own, because Curator keeps its holds by thread. It is dropped after the
 * grant with the thread still registered in it; the lease deletes the node itself.
 */
final class LeaseQueue extends InterProcessMutex {

  private final CuratorFramework client;
  private final FencedLockDriver driver;
  private final Supplier<byte @Nullable []> nodeData;

  LeaseQueue(CuratorFramework client, String path, Supplier<byte @Nullable []> nodeData) {
    this(client, path, nodeData, new FencedLockDriver(path));
  }

  private LeaseQueue(
      CuratorFramework client,
      String path,
      Supplier<byte @Nullable []> nodeData,
      FencedLockDriver driver) {
    super(client, path, driver);
    this.client = client;
    this.driver = driver;
    this.nodeData = nodeData;
  }

  /** Waits for the lock, for ever if {@code millis} is null; returns null if the time is up. */
  @Nullable FencedLease lease(@Nullable Long millis) throws Exception {
    boolean granted = false;
    LockNode node;
    try {
      // Without a unit Curator waits for ever.
      granted =
          acquire(millis == null ? -1 : millis, millis == null ? null : TimeUnit.MILLISECONDS);
    } finally {
      node = driver.take();
      // Otherwise every attempt that times out leaves a watcher until the holder goes.
      driver.removeWatches();
    }
    return granted && node != null ? new FencedLease(client, node) : null;
  }

  @Override
  protected byte @Nullable [] getLockNodeBytes() {
    return nodeData.get();
  }
}
