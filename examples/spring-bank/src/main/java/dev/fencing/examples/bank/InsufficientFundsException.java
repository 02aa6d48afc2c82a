package dev.fencing.examples.bank;

/** An account has less than is to be paid. */
final class InsufficientFundsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  InsufficientFundsException(long account, long cents, long amount) {
    super("account %d has %d cents, %d were to be paid".formatted(account, cents, amount));
  }
}
