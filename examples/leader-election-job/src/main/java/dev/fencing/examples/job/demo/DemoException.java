package dev.fencing.examples.job.demo;

/** Ends the demo with one line on standard error and an exit code. */
final class DemoException extends RuntimeException {

  /** The ledger is wrong. */
  static final int WRONG_LEDGER = 1;

  /** An argument or a file is wrong, or a server that was named does not answer. */
  static final int BAD_INPUT = 2;

  /** The story did not get to its end. */
  static final int UNFINISHED = 3;

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private DemoException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  static DemoException badInput(String message) {
    return new DemoException(BAD_INPUT, message);
  }

  static DemoException unfinished(String message) {
    return new DemoException(UNFINISHED, message);
  }

  int exitCode() {
    return exitCode;
  }
}
