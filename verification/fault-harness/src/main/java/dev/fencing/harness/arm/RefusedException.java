package dev.fencing.harness.arm;

/** A guard that was written by hand has refused a stale token; nothing was written. */
public final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super("stale: " + message);
  }
}
