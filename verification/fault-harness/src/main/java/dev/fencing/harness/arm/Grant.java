package dev.fencing.harness.arm;

/** One hold of a lock. */
public interface Grant {

  /** What the writes present. */
  long token();

  /** What the lock says of itself. */
  boolean isLive();

  void release() throws Exception;
}
