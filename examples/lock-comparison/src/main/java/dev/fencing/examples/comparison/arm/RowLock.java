package dev.fencing.examples.comparison.arm;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT … FOR UPDATE}: the database's own lock on the row, in a transaction that is open
 * from the read to the write.
 */
final class RowLock implements Lock, Store {

  private final DataSource dataSource;
  private final Workload workload;
  private final LockWait lockWait;
  private @Nullable Held current;

  RowLock(DataSource dataSource, Workload workload, LockWait lockWait) {
    this.dataSource = dataSource;
    this.workload = workload;
    this.lockWait = lockWait;
  }

  @Override
  public @Nullable Hold acquire(String row, Duration wait) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      connection.setAutoCommit(false);
      long value = Sql.query(connection, Sql.select(workload) + " FOR UPDATE", row);
      current = new Held(connection, value);
      return current;
    } catch (SQLException e) {
      try {
        connection.close(); // The pool rolls back.
      } catch (SQLException late) {
        e.addSuppressed(late);
      }
      if (lockWait.isOver(e)) {
        return null;
      }
      throw e;
    }
  }

  @Override
  public Work begin(String row, long token) {
    Held held = current;
    if (held == null) {
      throw new IllegalStateException("the row is not locked");
    }
    return new Work() {
      @Override
      public long read() {
        return held.value;
      }

      @Override
      public void write(long value) throws SQLException {
        Sql.update(held.connection, Sql.update(workload), value, row);
      }
    };
  }

  @Override
  public long leaseMillis() {
    return 0;
  }

  @Override
  public void close() {
    // Its connections are the pool's.
  }

  private static final class Held implements Hold {

    private final Connection connection;
    private final long value;

    private Held(Connection connection, long value) {
      this.connection = connection;
      this.value = value;
    }

    @Override
    public long token() {
      return 0;
    }

    @Override
    public boolean seemsHeld() {
      return true;
    }

    @Override
    public boolean commits() {
      return true;
    }

    @Override
    public void release() throws SQLException {
      try (connection) {
        connection.commit();
        connection.setAutoCommit(true);
      }
    }
  }
}
