package dev.fencing.harness.history;

/** What the workers do under the locks. */
public enum Workload {
  /** One number a lock, read and written back one higher. */
  COUNTER,
  /** One list a lock, to which an element is added. */
  LIST_APPEND,
  /** Transfers between accounts whose total stays the same, under one fence. */
  BANK,
  /** The same with a fence a row. */
  BANK_FENCE_PER_ROW,
  /** Nothing is read or written. */
  LOCK_ONLY;

  /** Tells whether there is a total that must not change. */
  public boolean isBank() {
    return this == BANK || this == BANK_FENCE_PER_ROW;
  }
}
