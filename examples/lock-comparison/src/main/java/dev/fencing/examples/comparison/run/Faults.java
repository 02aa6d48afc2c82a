package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.work.Pauses;
import dev.fencing.examples.comparison.work.Planned;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.Jedis;

/** Pauses as planned, and in some arms a server that fails meanwhile. */
final class Faults implements Pauses {

  private static final int NOBODY = 0;

  /** Three are enough for a majority that grants the key again; one may miss its time-out. */
  private static final int JUMPING_CLOCKS = 4;

  private final Arm arm;
  private final Equipment equipment;
  private final long leaseNanos;
  private final Semaphore failingOver = new Semaphore(1);
  private final AtomicInteger struck = new AtomicInteger();
  private volatile int victim = NOBODY;

  /**
   * @param lease as it was granted; of an arm without one, as it was asked for
   */
  Faults(Arm arm, Equipment equipment, Duration lease) {
    this.arm = arm;
    this.equipment = equipment;
    this.leaseNanos = lease.toNanos();
  }

  /** How often a server has failed. */
  int struck() {
    return struck.get();
  }

  @Override
  public void before(Planned planned) throws InterruptedException {
    if (planned.fault() && arm == Arm.REDIS_FAILOVER) {
      failingOver.acquire();
      victim = planned.number();
      equipment.pair().silence();
    }
  }

  @Override
  public void whileStopped(Planned planned) throws Exception {
    long start = System.nanoTime();
    if (planned.fault()) {
      strike(planned);
    }
    long left = Math.round(planned.pause() * leaseNanos) - (System.nanoTime() - start);
    TimeUnit.NANOSECONDS.sleep(left);
  }

  private void strike(Planned planned) throws Exception {
    if (arm == Arm.REDIS_FAILOVER && victim == planned.number()) {
      equipment.pair().failOver();
      struck.incrementAndGet();
      victim = NOBODY;
      failingOver.release();
    } else if (arm == Arm.REDLOCK_CLOCK_JUMP) {
      for (int i = 0; i < JUMPING_CLOCKS; i++) {
        expire(equipment.nodes().get(i).port(), planned.row());
      }
      struck.incrementAndGet();
    }
  }

  /** A key's end comes at once, as it does when the server's clock jumps past it. */
  private static void expire(int port, String row) {
    try (Jedis admin = new Jedis("127.0.0.1", port)) {
      admin.pexpire("lock:" + row, 1);
    }
  }

  /** A victim that never came to its pause: it got no lock, for one. */
  @Override
  public void after(Transaction attempt) {
    if (victim == attempt.number()) {
      equipment.pair().restore();
      victim = NOBODY;
      failingOver.release();
    }
  }
}
