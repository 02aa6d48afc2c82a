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
    Hold reading = readers.current();
    if (reading != null && !isOwnedByCurrentThread()) {
      reading.node().requireNotLost();
      if (unit == null) {
        throw new IllegalStateException(
            "this thread holds the read lock of %s, so its wait for the write lock would never end:"
                    .formatted(queue.lockPath())
                + " release the read lock first, acquire the write lock, and read again what the"
                + " decision to write was based on");
      }
    }
    return super.acquire(time, unit);
  }

  @Override
  public Collection<String> getParticipantNodes() throws Exception {
    return NodeKind.WRITE.only(super.getParticipantNodes());
  }
}
