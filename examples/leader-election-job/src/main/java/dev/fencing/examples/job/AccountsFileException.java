package dev.fencing.examples.job;

/** An accounts file that cannot be used; the message names the file, the line and the fault. */
public final class AccountsFileException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  AccountsFileException(String message) {
    super(message);
  }
}
