package dev.fencing.examples.job.demo;

/** Ends the demo with one line on standard error and an exit code. */
public final class DemoException extends RuntimeException {

  /** The ledger is wrong. */
  static final int WRONG_LEDGER = 1;

  /** An argument or a file is wrong, or a server that was named does not answer. */
  public static final int BAD_INPUT = 2;

  /** The story did not get to its end. */
  public static final int UNFINISHED = 3;

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private DemoException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** What was given to the demo is wrong; nothing was written. */
  public static DemoException badInput(String message) {
    return new DemoException(BAD_INPUT, message);
  }

  /** The story could not be told to its end. */
  public static DemoException unfinished(String message) {
    return new DemoException(UNFINISHED, message);
  }

  /** The exit code of the demo. */
  public int exitCode() {
    return exitCode;
  }
}
