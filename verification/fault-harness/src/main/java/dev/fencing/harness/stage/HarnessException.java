package dev.fencing.harness.stage;

/** The harness itself could not do its work; says nothing about what it tests. */
public final class HarnessException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public HarnessException(String message) {
    super(message);
  }

  public HarnessException(String message, Throwable cause) {
    super(message, cause);
  }
}
