package dev.fencing.examples.comparison.history;

/** How a transaction ended, as its client saw it. */
public enum Outcome {
  /** The database acknowledged the write. */
  WRITTEN,
  /** The database refused the write, because its token was stale. */
  REFUSED,
  /** No lock was granted within the wait. */
  NOT_LOCKED,
  /** The client noticed before it wrote that it had lost the lock, and gave up. */
  LOST_LOCK,
  /** Something else went wrong, and nothing was written. */
  FAILED,
  /** COMMIT was sent and its answer never came: the write may have landed. */
  UNKNOWN
}
