package dev.fencing.harness.checker;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The time in which a worker believed that it held a lock.
 *
 * @param acquire the first acquire of this hold, acknowledged
 * @param release null if it was never released
 * @param to when it began to release, or was killed, or asked for the same lock anew, or the
 *     history ended
 */
public record Hold(String name, Call acquire, @Nullable Call release, long to) {

  /** Returns the lock. */
  public String resource() {
    return acquire.resource();
  }

  /** Returns the worker. */
  public int worker() {
    return acquire.invoke().worker();
  }

  /** Returns the token of its grant. */
  public long token() {
    return Objects.requireNonNull(acquire.token());
  }

  /** Returns when the lock was granted. */
  public long from() {
    return acquire.end();
  }
}
