package dev.fencing.harness.arm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One lock as one thread of one worker sees it. */
public interface Lock {

  /**
   * Waits for the lock.
   *
   * @return null if it is busy for that long
   * @throws Exception if it could not be acquired; nothing is held
   */
  @Nullable Grant acquire(Duration bound) throws Exception;
}
