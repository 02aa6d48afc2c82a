package dev.fencing.spring;

import java.time.Duration;

/**
 * Hears of the locks of a {@link FencedLocks}, for metrics and logs; every method does nothing by
 * default. What the fences decide is told to a {@code FenceListener} of the JdbcFence.
 *
 * <p>Called on the thread that works, so it must be quick and thread-safe. What it throws is logged
 * and changes nothing.
 */
public interface FencedLockListener {

  /**
   * A lock was acquired.
   *
   * @param waited how long that took
   */
  default void acquired(String resource, long token, Duration waited) {}

  /**
   * A lock was not acquired: it was busy for as long as the caller wanted to wait, or ZooKeeper did
   * not answer.
   *
   * @param waited how long
   */
  default void unavailable(String resource, Duration waited, Exception why) {}

  /**
   * A hold is over and its lock released.
   *
   * @param held how long it was held
   * @param lost whether it was known by then to be lost
   */
  default void released(String resource, long token, Duration held, boolean lost) {}
}
