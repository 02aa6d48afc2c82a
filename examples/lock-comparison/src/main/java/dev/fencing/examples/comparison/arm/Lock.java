package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A client of a lock service, for one thread. */
public interface Lock extends AutoCloseable {

  /** Acquires the lock on a resource, or returns null if it is not free within the time. */
  @Nullable Hold acquire(String resource, Duration wait) throws Exception;

  /** How long a hold lasts without a sign of life, as the server has granted it; 0 for ever. */
  long leaseMillis() throws Exception;

  @Override
  void close();
}
