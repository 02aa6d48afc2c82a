package dev.fencing.harness.arm;

/** The hold must not go on; only a new acquisition does. */
public final class HoldOverException extends Exception {

  private static final long serialVersionUID = 1L;

  HoldOverException(String message) {
    super(message);
  }
}
