package dev.fencing.examples.comparison.arm;

import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock without tokens, and a sequence of the database that gives one after the grant.
 *
 * <p>Who is frozen between the grant and the sequence may get a higher token than its successor.
 * Then it is the successor whom the fence refuses; no update is lost.
 */
final class SequencedLock implements Lock {

  private final Lock lock;
  private final DataSource dataSource;
  private final String next;

  SequencedLock(Lock lock, DataSource dataSource, LockWait database) {
    this.lock = lock;
    this.dataSource = dataSource;
    this.next =
        database == LockWait.POSTGRES
            ? "SELECT nextval('lock_token')"
            : "SELECT NEXT VALUE FOR lock_token";
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    Hold hold = lock.acquire(resource, wait);
    if (hold == null) {
      return null;
    }
    try {
      return new Numbered(hold, Sql.query(dataSource, next));
    } catch (SQLException e) {
      try {
        hold.release();
      } catch (Exception late) {
        e.addSuppressed(late);
      }
      throw e;
    }
  }

  @Override
  public long leaseMillis() throws Exception {
    return lock.leaseMillis();
  }

  @Override
  public void close() {
    lock.close();
  }

  private record Numbered(Hold hold, long token) implements Hold {

    @Override
    public boolean seemsHeld() throws Exception {
      return hold.seemsHeld();
    }

    @Override
    public void release() throws Exception {
      hold.release();
    }
  }
}
