package dev.fencing.examples.comparison.arm;

import java.time.Duration;

/** Gives everybody the lock at once. */
final class NoLock implements Lock {

  private static final Hold ALWAYS =
      new Hold() {
        @Override
        public long token() {
          return 0;
        }

        @Override
        public boolean seemsHeld() {
          return true;
        }

        @Override
        public void release() {
          // There is nothing to give back.
        }
      };

  @Override
  public Hold acquire(String resource, Duration wait) {
    return ALWAYS;
  }

  @Override
  public long leaseMillis() {
    return 0;
  }

  @Override
  public void close() {
    // There is nothing to close.
  }
}
