package dev.fencing.harness.arm;

import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Mutant: asks the lock object for the token when it writes; the object has acquired the lock anew
 * in between, so a value from before comes with a token from after.
 */
final class TokenAtWriteTime extends HandWritten {

  private static final Duration BOUND = Duration.ofSeconds(5);

  private final Lock lock;
  private @Nullable Grant again;

  TokenAtWriteTime(Job job, Lock lock) {
    super(job);
    this.lock = lock;
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    super.write(new Change(change.op(), token(), change.cells()), pause);
  }

  private long token() throws Exception {
    if (again == null && !job.grant().isLive()) {
      again = lock.acquire(BOUND);
      if (again == null) {
        throw new HoldOverException("the lock was lost and is not to be had again");
      }
      raise(again.token());
    }
    return again == null ? job.grant().token() : again.token();
  }

  private void raise(long token) throws Exception {
    Job renewed =
        new Job(
            job.database(),
            job.resource(),
            fixed(token),
            job.reads(),
            job.writes(),
            job.workload(),
            job.random());
    try (Connection connection = job.database().getConnection()) {
      new HandWritten(renewed).raise(connection, job.resource(), "<");
    }
  }

  private static Grant fixed(long token) {
    return new Grant() {
      @Override
      public long token() {
        return token;
      }

      @Override
      public boolean isLive() {
        return true;
      }

      @Override
      public void release() {}
    };
  }

  @Override
  public void finish() throws Exception {
    if (again != null) {
      again.release();
    }
  }
}
