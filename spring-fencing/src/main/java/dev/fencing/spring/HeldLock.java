package dev.fencing.spring;

import dev.fencing.curator.FencedLease;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A lock that is held for one call. Not thread-safe. */
final class HeldLock implements AutoCloseable {

  /** How long to ask whether a lock is still held whose token was refused. */
  private static final Duration VERIFY = Duration.ofSeconds(1);

  private final String resource;
  private final FencedLease lease;
  private final HoldEvents events;
  private final Runnable afterwards;
  private final long since = System.nanoTime();
  private boolean raised;
  private boolean heldAfterRefusal;

  HeldLock(String resource, FencedLease lease, HoldEvents events, Runnable afterwards) {
    this.resource = resource;
    this.lease = lease;
    this.events = events;
    this.afterwards = afterwards;
  }

  long token() {
    return lease.token();
  }

  String lockPath() {
    return lease.lockPath();
  }

  FencedHold raised(JdbcFence fence, FencedResource handle) {
    raised = true;
    return new FencedHold(fence, handle, lockPath(), lease::isLive);
  }

  /** Asks whether the lock is still held while its raise has been refused. */
  void askAfterRefusal() {
    heldAfterRefusal = lease.isLive() && verified();
  }

  /** Says whether a refusal, after which was asked, shows that tokens have started again. */
  Optional<RestartedTokens> restarted(StaleTokenException refused) {
    boolean older =
        refused.resource().equals(resource)
            && refused.presentedToken() == token()
            && refused.storedGeneration() == refused.presentedGeneration()
            && refused.storedToken() > refused.presentedToken();
    return heldAfterRefusal && older
        ? Optional.of(
            new RestartedTokens(
                resource, lockPath(), refused.storedGeneration(), token(), refused.storedToken()))
        : Optional.empty();
  }

  /** Releases the lock; throws nothing. */
  @Override
  public void close() {
    boolean lost = !lease.isLive();
    try {
      if (!raised) {
        askAfterRefusal();
      }
      lease.close();
    } finally {
      afterwards.run();
      events.released(resource, token(), since, lost);
    }
  }

  private boolean verified() {
    try {
      return lease.verify(VERIFY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The lock that a source has given to the runner, which keeps it to itself. */
  static final class Slot {
    private @Nullable HeldLock lock;

    HeldLock put(HeldLock lock) {
      this.lock = lock;
      return lock;
    }

    HeldLock get() {
      if (lock == null) {
        throw new IllegalStateException("nothing was acquired");
      }
      return lock;
    }

    Optional<HeldLock> find() {
      return Optional.ofNullable(lock);
    }
  }
}
