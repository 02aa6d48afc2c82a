package dev.fencing.jdbc;

/**
 * {@link FencedRunner} could not acquire the lock.
 *
 * <p>Nothing was raised or written. The cause is what the source of leases threw.
 */
public final class LeaseUnavailableException extends FencingException {

  private static final long serialVersionUID = 1L;

  LeaseUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
