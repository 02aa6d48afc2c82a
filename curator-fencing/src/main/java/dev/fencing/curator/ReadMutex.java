package dev.fencing.curator;

import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.RevocationListener;
import org.jspecify.annotations.Nullable;

/** The read side of a read/write lock; has no token. Thread-safe. */
final class ReadMutex extends InterProcessMutex {

  private final LockQueue queue;
  private final ThreadHolds readers;
  private final ThreadHolds writers;

  ReadMutex(LockQueue queue, ThreadHolds readers, ThreadHolds writers) {
    super(queue.client(), queue.lockPath(), NodeKind.READ.sorter());
    this.queue = queue;
    this.readers = readers;
    this.writers = writers;
  }

  @Override
  public void acquire() throws Exception {
    acquire(-1, null);
  }

  @Override
  public boolean acquire(long time, @Nullable TimeUnit unit) throws Exception {
    Hold writing = readers.current() == null ? writers.current() : null;
    return readers.acquire(
        writing == null ? queue : queue.inThePlaceOf(writing.node()), time, unit);
  }

  @Override
  public void release() throws Exception {
    readers.release(queue);
  }

  @Override
  public void makeRevocable(RevocationListener<InterProcessMutex> listener, Executor executor) {
    readers.onRevocation(() -> executor.execute(() -> listener.revocationRequested(this)));
  }

  @Override
  public void makeRevocable(RevocationListener<InterProcessMutex> listener) {
    makeRevocable(listener, Runnable::run);
  }

  @Override
  public boolean isAcquiredInThisProcess() {
    return readers.isAny();
  }

  @Override
  public boolean isOwnedByCurrentThread() {
    return readers.current() != null;
  }

  @Override
  public Collection<String> getParticipantNodes() throws Exception {
    return NodeKind.READ.only(super.getParticipantNodes());
  }

  @Override
  protected @Nullable String getLockPath() {
    return readers.nodePath();
  }
}
