package dev.fencing.examples.comparison.arm;

/** The database has refused a stale token, and nothing was written. */
public final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }

  RefusedException(Exception cause) {
    super(cause.getMessage(), cause);
  }
}
