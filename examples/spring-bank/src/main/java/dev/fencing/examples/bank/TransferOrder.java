package dev.fencing.examples.bank;

/** What a client asks for. */
record TransferOrder(long from, long to, long cents) {

  TransferOrder {
    if (cents <= 0) {
      throw new IllegalArgumentException("cents must be greater than 0 but is " + cents);
    }
    if (from == to) {
      throw new IllegalArgumentException("from and to are the same account, " + from);
    }
  }
}
