package dev.fencing.examples.comparison.arm;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock by name in the database, which a connection of its own holds; the work goes over others.
 */
final class AdvisoryLock implements Lock {

  private final DataSource dataSource;
  private final LockWait lockWait;
  private @Nullable Connection session;

  AdvisoryLock(DataSource dataSource, LockWait lockWait) {
    this.dataSource = dataSource;
    this.lockWait = lockWait;
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws SQLException {
    Connection mine = session();
    if (lockWait == LockWait.MARIADB) {
      boolean locked = Sql.query(mine, "SELECT GET_LOCK(?, ?)", resource, wait.toSeconds()) == 1;
      return locked ? new Held(mine, resource) : null;
    }
    try {
      Sql.query(mine, "SELECT 1 FROM pg_advisory_lock(hashtext(?))", resource);
      return new Held(mine, resource);
    } catch (SQLException e) {
      if (lockWait.isOver(e)) {
        return null;
      }
      throw e;
    }
  }

  private Connection session() throws SQLException {
    Connection current = session;
    if (current == null) {
      current = dataSource.getConnection();
      session = current;
    }
    return current;
  }

  @Override
  public long leaseMillis() {
    return 0;
  }

  @Override
  public void close() {
    // Its connection is the pool's.
  }

  private final class Held implements Hold {

    private final Connection mine;
    private final String resource;

    private Held(Connection mine, String resource) {
      this.mine = mine;
      this.resource = resource;
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
    public void release() throws SQLException {
      Sql.query(
          mine,
          lockWait == LockWait.MARIADB
              ? "SELECT RELEASE_LOCK(?)"
              : "SELECT pg_advisory_unlock(hashtext(?))::int",
          resource);
    }
  }
}
