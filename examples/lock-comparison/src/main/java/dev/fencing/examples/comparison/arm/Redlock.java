package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Redlock on independent Redis servers, as it is specified:
 *
 * <ol>
 *   <li>take the time, and ask one server after the other for the key with the same random value,
 *       each with a time-out that is small beside the lease;
 *   <li>it is held if a majority has granted it and the lease, less the time that this took and the
 *       drift between clocks, is not over: what is left is the validity;
 *   <li>if not, release it on all servers, those included that seem not to have granted it, and try
 *       again after a random delay;
 *   <li>release it on all servers in the end.
 * </ol>
 */
final class Redlock implements Lock {

  private static final int NODE_TIMEOUTS_A_LEASE = 20;
  private static final Duration LONGEST_NODE_TIMEOUT = Duration.ofMillis(50);
  private static final double DRIFT = 0.01;
  private static final Duration SMALLEST_DRIFT = Duration.ofMillis(2);

  private final List<RedisNode> nodes;
  private final Duration lease;
  private final LongSupplier clock;

  /**
   * @param addresses of the servers, an odd number
   * @param nodeTimeout how long one server may take
   */
  Redlock(List<String> addresses, Duration lease, Duration nodeTimeout) {
    this(addresses, lease, nodeTimeout, System::nanoTime);
  }

  Redlock(List<String> addresses, Duration lease, Duration nodeTimeout, LongSupplier clock) {
    this.nodes = addresses.stream().map(address -> new RedisNode(address, nodeTimeout)).toList();
    this.lease = lease;
    this.clock = clock;
  }

  /** The time-out of one server: a twentieth of the lease, and 50 ms at most. */
  static Duration nodeTimeout(Duration lease) {
    Duration part = lease.dividedBy(NODE_TIMEOUTS_A_LEASE);
    return part.compareTo(LONGEST_NODE_TIMEOUT) < 0 ? part : LONGEST_NODE_TIMEOUT;
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    return Polling.until(wait, () -> tryOnce(resource));
  }

  @Nullable Grant tryOnce(String resource) {
    String key = RedisLock.key(resource);
    String value = UUID.randomUUID().toString();
    long start = clock.getAsLong();
    long granted = nodes.stream().filter(node -> asks(node, key, value)).count();
    Grant grant = new Grant(key, value, start + lease.toNanos() - drift());
    if (granted > nodes.size() / 2 && grant.seemsHeld()) {
      return grant;
    }
    grant.release();
    return null;
  }

  private boolean asks(RedisNode node, String key, String value) {
    try {
      return node.lock(key, value, lease);
    } catch (JedisException unreachable) {
      return false;
    }
  }

  private long drift() {
    return Math.round(lease.toNanos() * DRIFT) + SMALLEST_DRIFT.toNanos();
  }

  @Override
  public long leaseMillis() {
    return lease.toMillis();
  }

  @Override
  public void close() {
    nodes.forEach(RedisNode::close);
  }

  /** A majority of keys. */
  final class Grant implements Hold {

    private final String key;
    private final String value;
    private final long validUntil;

    private Grant(String key, String value, long validUntil) {
      this.key = key;
      this.value = value;
      this.validUntil = validUntil;
    }

    @Override
    public long token() {
      return 0;
    }

    /** What is left of the lease by this client's own clock, greater than 0 while it is valid. */
    long validityNanos() {
      return validUntil - clock.getAsLong();
    }

    @Override
    public boolean seemsHeld() {
      return validityNanos() > 0;
    }

    @Override
    public void release() {
      for (RedisNode node : nodes) {
        try {
          node.unlock(key, value);
        } catch (JedisException unreachable) {
          // Its key expires by itself.
        }
      }
    }
  }
}
