package dev.fencing.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A DataSource over the one of a {@link JdbcFence}, for code that knows nothing of fences: mappers,
 * templates and hand-written DAOs.
 *
 * <p>Build one and keep it. While a thread works under a hold, by {@link FencedResource#call},
 * every transaction on a connection of this DataSource checks the fences of all holds that are
 * bound, before its first statement; a refusal is thrown by that statement, as a {@link
 * StaleTokenException} as a rule, and nothing of the transaction is written. A statement in
 * autocommit mode is a transaction of its own, committed before its result is handed out, or, if
 * its rows can be updated, when that is closed. A transaction that the database itself keeps
 * read-only is not checked: it cannot write. Bind the hold before the transaction begins: one that
 * has begun unfenced is refused under a hold, because it may have read before the raise.
 *
 * <p>The check follows the transaction on the server. A statement that is kept across a commit is
 * checked again; nothing leads back to the raw connection; and a COMMIT whose answer is lost is an
 * {@link UnknownOutcomeException} and the death of the handles. A connection that is closed with a
 * transaction open is rolled back here and not left to the pool, and so is one that was taken under
 * a hold and is still open when the hold's work returns.
 *
 * <p>Without a hold nothing is added to what goes to the server. Thread-safe, as the DataSource
 * underneath; its connections are no more so than any.
 */
public final class FencedDataSource implements DataSource {

  /** What to do with a transaction that may write while no hold is bound to the thread. */
  public enum Unbound {
    /** It goes on as it would without a fence. */
    PASS,
    /** It is refused, so that no write is forgotten. */
    REFUSE
  }

  private final JdbcFence fence;
  private final DataSource target;
  private final Unbound unbound;
  private final AtomicBoolean readOnlyIsKept = new AtomicBoolean();

  /**
   * Makes the DataSource; asks no database. The one of the fence must not join the transaction of
   * its thread: there every statement under a hold is refused with an {@link
   * IllegalStateException}.
   *
   * @param fence whose DataSource is used
   * @param unbound what becomes of writes while no hold is bound
   */
  public FencedDataSource(JdbcFence fence, Unbound unbound) {
    this.fence = Objects.requireNonNull(fence, "fence");
    this.target = fence.dataSource();
    this.unbound = Objects.requireNonNull(unbound, "unbound");
  }

  /** The fence whose holds are checked; those of another one change nothing here. */
  public JdbcFence fence() {
    return fence;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return fenced(target.getConnection());
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return fenced(target.getConnection(username, password));
  }

  /** Refuses to put a fence over a fence: its own transactions would be checked, and refused. */
  static DataSource requireNone(DataSource dataSource) {
    if (Objects.requireNonNull(dataSource, "dataSource") instanceof FencedDataSource) {
      throw new IllegalArgumentException(
          "this is a FencedDataSource already: give the DataSource underneath, which checks nothing");
    }
    return dataSource;
  }

  private Connection fenced(Connection raw) throws SQLException {
    try {
      FencedConnection connection =
          new FencedConnection(
              fence, raw, unbound == Unbound.REFUSE, raw.getAutoCommit(), readOnlyIsKept);
      BoundHolds.taken(fence, connection);
      return connection.view();
    } catch (SQLException | RuntimeException e) {
      LocalTransaction.abort(raw, e);
      throw e;
    }
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return target.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    target.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    target.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return target.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return target.getParentLogger();
  }

  /** Gives the DataSource underneath for its figures; its connections are not fenced. */
  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || type.isInstance(target) || target.isWrapperFor(type);
  }
}
