package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis lock that a second thread extends every third of its lease. */
final class RenewedRedisLock extends RedisLock {

  private static final int RENEWALS_A_LEASE = 3;

  private final long periodNanos;
  private final ScheduledExecutorService renewer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "renewer");
            thread.setDaemon(true);
            return thread;
          });

  RenewedRedisLock(String address, Duration lease) {
    this(address, lease, period(lease));
  }

  RenewedRedisLock(String address, Duration lease, Duration period) {
    super(address, lease, Release.SCRIPT);
    this.periodNanos = period.toNanos();
  }

  static Duration period(Duration lease) {
    return lease.dividedBy(RENEWALS_A_LEASE);
  }

  @Override
  @Nullable Hold tryOnce(String key, String value) {
    return node().lock(key, value, lease()) ? new Renewed(key, value) : null;
  }

  @Override
  public void close() {
    renewer.shutdownNow();
    super.close();
  }

  private final class Renewed extends Held {

    private final String key;
    private final String value;
    private final ScheduledFuture<?> renewal;
    private volatile boolean lost;

    Renewed(String key, String value) {
      super(key, value, 0);
      this.key = key;
      this.value = value;
      this.renewal =
          renewer.scheduleWithFixedDelay(
              this::renew, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    private void renew() {
      try {
        lost |= !node().extend(key, value, lease());
      } catch (JedisException e) {
        // Tried again after the next third; by then the lease may be over, and then it is lost.
      }
    }

    @Override
    public boolean seemsHeld() {
      return !lost;
    }

    @Override
    public void release() {
      renewal.cancel(false);
      super.release();
    }
  }
}
