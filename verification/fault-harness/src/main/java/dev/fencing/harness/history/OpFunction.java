package dev.fencing.harness.history;

/** What a worker does. */
public enum OpFunction {
  /** Takes the lock; an acquire with the name of a hold that exists is a re-entry. */
  ACQUIRE,
  /** Makes the token the fence of its resource. */
  RAISE,
  /** Row mode: raises the fence in the row and reads the row, atomically. */
  CLAIM,
  /** Reads guarded rows. */
  READ,
  /** Writes guarded rows in one transaction. */
  WRITE,
  /** Takes a new raise id under the same token. */
  RENEW,
  /** Gives the lock back. */
  RELEASE,
  /** Asks the lease whether it is live, and touches nothing. */
  CHECK_LIVE
}
