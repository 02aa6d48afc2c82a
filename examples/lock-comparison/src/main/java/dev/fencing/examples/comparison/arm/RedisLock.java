package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * {@code SET key value NX PX lease}, and deleting the key to release it.
 *
 * <p>Nothing tells its holder that the key has expired.
 */
class RedisLock implements Lock {

  private static final Duration BOUND = Duration.ofSeconds(2);

  /** How a hold is given back. */
  enum Release {
    /** By a script that compares and deletes in one step. */
    SCRIPT {
      @Override
      void release(RedisNode node, String key, String value) {
        node.unlock(key, value);
      }
    },
    /** By a GET and then a DEL: what expires in between is somebody else's by then. */
    GET_THEN_DEL {
      @Override
      void release(RedisNode node, String key, String value) {
        if (node.has(key, value)) {
          node.delete(key);
        }
      }
    };

    abstract void release(RedisNode node, String key, String value);
  }

  private final RedisNode node;
  private final Duration lease;
  private final Release release;

  RedisLock(String address, Duration lease, Release release) {
    this.node = new RedisNode(address, BOUND);
    this.lease = lease;
    this.release = release;
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    String value = UUID.randomUUID().toString();
    return Polling.until(wait, () -> tryOnce(key(resource), value));
  }

  @Nullable Hold tryOnce(String key, String value) {
    return node.lock(key, value, lease) ? new Held(key, value, 0) : null;
  }

  static String key(String resource) {
    return "lock:" + resource;
  }

  RedisNode node() {
    return node;
  }

  Duration lease() {
    return lease;
  }

  @Override
  public long leaseMillis() {
    return lease.toMillis();
  }

  @Override
  public void close() {
    node.close();
  }

  /** A key that was ours when it was set. */
  class Held implements Hold {

    private final String key;
    private final String value;
    private final long token;

    Held(String key, String value, long token) {
      this.key = key;
      this.value = value;
      this.token = token;
    }

    @Override
    public long token() {
      return token;
    }

    @Override
    public boolean seemsHeld() {
      return true;
    }

    @Override
    public void release() {
      release.release(node, key, value);
    }
  }
}
