package dev.fencing.curator;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The write side of a read/write lock: a fenced mutex that knows the readers. Thread-safe. */
final class WriteMutex extends InterProcessFencedMutex {

  private final LockQueue queue;
  private final ThreadHolds readers;

  WriteMutex(LockQueue queue, ThreadHolds writers, ThreadHolds readers) {
    super(queue, writers);
    this.queue = queue;
    this.readers = readers;
  }

  @Override
  public boolean acquire(long time, @Nullable TimeUnit unit) throws Exception {
    if (!isOwnedByCurrentThread()) {
      requireNoUpgrade(unit != null);
    }
    return super.acquire(time, unit);
  }

  @Override
  public FencedLease acquireLease() throws Exception {
    requireNoUpgrade(false);
    return super.acquireLease();
  }

  private void requireNoUpgrade(boolean bounded) {
    Hold reading = readers.current();
    if (reading != null) {
      reading.node().requireNotLost();
      if (!bounded) {
        throw new IllegalStateException(
            "this thread holds the read lock of %s, so its wait for the write lock would never end:"
                    .formatted(queue.lockPath())
                + " release the read lock first, acquire the write lock, and read again what the"
                + " decision to write was based on");
      }
    }
  }

  @Override
  public Collection<String> getParticipantNodes() throws Exception {
    return NodeKind.WRITE.only(super.getParticipantNodes());
  }
}
