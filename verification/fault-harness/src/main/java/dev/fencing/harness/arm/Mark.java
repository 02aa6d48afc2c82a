package dev.fencing.harness.arm;

import java.util.Locale;

/** Where in its work a worker asks the orchestrator before it goes on. */
public enum Mark {
  /** Holds nothing and wants nothing. */
  IDLE,
  AFTER_ACQUIRE,
  AFTER_RAISE,
  AFTER_READ,
  /** The write is in an open transaction, or about to be sent together with its COMMIT. */
  BEFORE_COMMIT,
  /** The write is over, however it went. */
  AFTER_WRITE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
