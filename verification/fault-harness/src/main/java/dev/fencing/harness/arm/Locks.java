package dev.fencing.harness.arm;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The locks that the arms use. */
final class Locks {

  private Locks() {}

  /** The product's. The node data tells the request that creates a lock node from all others. */
  static Lock fenced(CuratorFramework client, String path, String tag) {
    InterProcessFencedMutex mutex =
        new InterProcessFencedMutex(client, path) {
          @Override
          protected byte[] getLockNodeBytes() {
            return tag.getBytes(StandardCharsets.US_ASCII);
          }
        };
    return bound -> mutex.acquireLease(bound).map(Locks::grant).orElse(null);
  }

  private static Grant grant(FencedLease lease) {
    return new Grant() {
      @Override
      public long token() {
        return lease.token();
      }

      @Override
      public boolean isLive() {
        return lease.isLive();
      }

      @Override
      public void release() {
        lease.close();
      }
    };
  }

  /** Curator's mutex. The token is for the history only: nothing checks it. */
  static Lock plain(CuratorFramework client, String path, String tag) {
    return new Plain(client, path, tag) {
      @Override
      long token(String node) throws Exception {
        Stat stat = client.checkExists().forPath(node);
        if (stat == null) {
          throw new HoldOverException("the lock node " + node + " is gone");
        }
        return stat.getCzxid();
      }
    };
  }

  /** Curator's mutex, and as token the number at the end of the node's name. */
  static Lock sequence(CuratorFramework client, String path, String tag) {
    return new Plain(client, path, tag) {
      @Override
      long token(String node) {
        return 1 + Long.parseLong(node.substring(node.length() - 10));
      }
    };
  }

  /** One thread's use of Curator's mutex. */
  private abstract static class Plain extends InterProcessMutex implements Lock {

    private final byte[] tag;

    Plain(CuratorFramework client, String path, String tag) {
      super(client, path);
      this.tag = tag.getBytes(StandardCharsets.US_ASCII);
    }

    abstract long token(String node) throws Exception;

    @Override
    protected byte[] getLockNodeBytes() {
      return tag;
    }

    @Override
    public @Nullable Grant acquire(Duration bound) throws Exception {
      if (!acquire(bound.toMillis(), TimeUnit.MILLISECONDS)) {
        return null;
      }
      try {
        long token = token(Objects.requireNonNull(getLockPath(), "no node"));
        return new Grant() {
          @Override
          public long token() {
            return token;
          }

          @Override
          public boolean isLive() {
            return isAcquiredInThisProcess();
          }

          @Override
          public void release() throws Exception {
            Plain.this.release();
          }
        };
      } catch (Exception e) {
        release();
        throw e;
      }
    }
  }
}
