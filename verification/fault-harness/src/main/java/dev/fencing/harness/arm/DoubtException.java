package dev.fencing.harness.arm;

/** A COMMIT of a guard that was written by hand was sent, and its answer never came. */
public final class DoubtException extends Exception {

  private static final long serialVersionUID = 1L;

  DoubtException(Throwable cause) {
    super("the answer to COMMIT never came: " + cause.getMessage(), cause);
  }
}
