package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's fenced lock. Its token comes with the grant, never from {@code getToken()}. */
final class RedissonLock implements Lock {

  private static final int THREADS = 2;
  private static final int CONNECTIONS = 4;

  private final RedissonClient client;
  private final Duration lease;

  RedissonLock(String address, Duration lease) {
    Config config = new Config();
    config.setThreads(THREADS);
    config.setNettyThreads(THREADS);
    config
        .useSingleServer()
        .setAddress("redis://" + address)
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(CONNECTIONS)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(CONNECTIONS);
    this.client = Redisson.create(config);
    this.lease = lease;
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) {
    RFencedLock lock = client.getFencedLock(RedisLock.key(resource));
    Long token = lock.tryLockAndGetToken(wait.toMillis(), lease.toMillis(), TimeUnit.MILLISECONDS);
    return token == null ? null : new Held(lock, token);
  }

  @Override
  public long leaseMillis() {
    return lease.toMillis();
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private record Held(RFencedLock lock, long token) implements Hold {

    @Override
    public boolean seemsHeld() {
      return lock.isHeldByCurrentThread();
    }

    @Override
    public void release() {
      try {
        lock.unlock();
      } catch (IllegalMonitorStateException lost) {
        // It has expired, and may be somebody else's.
      }
    }
  }
}
