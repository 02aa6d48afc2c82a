package dev.fencing.examples.comparison.arm;

/** A lock that this client has been given, and may have lost since. */
public interface Hold {

  /** The fencing token, greater than 0; 0 if the lock has none. */
  long token();

  /** Whether this client believes that it still has the lock. A lock without any hint says yes. */
  boolean seemsHeld() throws Exception;

  /** Whether the release is what commits the write. */
  default boolean commits() {
    return false;
  }

  /** Gives the lock back; throws nothing if it was lost before. */
  void release() throws Exception;
}
