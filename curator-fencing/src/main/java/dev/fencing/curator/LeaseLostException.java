package dev.fencing.curator;

/**
 * Thrown when a hold is used that is known to be lost, or a lease that was closed. Lost is a hold
 * whose session has ended, whose node somebody else has deleted, or whose process did not run for
 * longer than its session lasts.
 *
 * <p>Another holder may be at work already. Nothing is left in ZooKeeper of the call that threw
 * this, and the state of the hold is unchanged: it stays lost, and the thread that has it must
 * still balance its {@code acquire} calls by {@code release} calls.
 */
public final class LeaseLostException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String lockPath;
  private final long token;

  LeaseLostException(String lockPath, long token, String message) {
    super(message);
    this.lockPath = lockPath;
    this.token = token;
  }

  /** Returns the path of the lock, as it was given to the mutex. */
  public String lockPath() {
    return lockPath;
  }

  /** Returns the fencing token of the lost hold; 0 if it was a read lock, which has none. */
  public long token() {
    return token;
  }
}
