package dev.fencing.jdbc;

/**
 * What became of one fenced write of a row, judged by the row's fence and never by a count alone.
 */
public enum UpdateOutcome {
  /** The row holds what was written, and its fence is at the presented token. */
  APPLIED,

  /**
   * The row held exactly that already, and its fence is at the presented token: as good as {@link
   * #APPLIED}. Only MySQL and MariaDB tell, with {@code useAffectedRows=true}.
   */
  UNCHANGED,

  /**
   * The row has seen a newer holder, or the presented token has been used up; nothing was written.
   * Never retryable under the same token.
   */
  STALE,

  /** There is no such row, or it is a tombstone; nothing was written. */
  MISSING,

  /**
   * The fence let the write pass, and the row does not show it: a trigger or a rule has swallowed
   * it, or put the fence back. Nothing is kept.
   */
  HIDDEN,

  /**
   * The row's fence is below what this handle's claim has stored: the database has lost the claim
   * by a failover or a restore, or somebody has set the fence back. Nothing was written.
   */
  LOST;

  /** Whether the row is now as the write wanted it: {@link #APPLIED} or {@link #UNCHANGED}. */
  public boolean isApplied() {
    return this == APPLIED || this == UNCHANGED;
  }
}
