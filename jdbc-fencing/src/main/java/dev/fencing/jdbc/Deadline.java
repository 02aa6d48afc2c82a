package dev.fencing.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;

/** When the waits of one call must have come to an end. */
final class Deadline {

  /** The SQLState where no time is left; of a lock wait on H2, too. */
  static final String PASSED = "HYT00";

  private final long start = System.nanoTime();
  private final Duration bound;

  /**
   * @param bound from now on
   */
  Deadline(Duration bound) {
    this.bound = bound;
  }

  /**
   * What is left for the next statement.
   *
   * @throws SQLTimeoutException if nothing is
   */
  Duration leftOrThrow() throws SQLException {
    Duration left = bound.minusNanos(System.nanoTime() - start);
    if (left.isNegative() || left.isZero()) {
      throw new SQLTimeoutException(
          "the time was up after " + bound.minus(left).toMillis() + " ms, between two statements",
          PASSED);
    }
    return left;
  }
}
