package dev.fencing.jdbc;

import java.lang.reflect.Method;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The view of a connection that the work of a fenced transaction gets: it cannot end the
 * transaction, and it is of no use once the transaction has ended.
 *
 * <p>Whatever comes from it and belongs to {@code java.sql} is a view as well, so that none of it
 * leads back to the raw connection. Every {@link SQLException} that passes is remembered: after one
 * the server may have given the transaction up, and PostgreSQL's driver then answers a commit
 * normally although everything was rolled back.
 */
final class GuardedConnection implements SqlView.Gate {

  /** Invalid transaction termination, in the SQL standard. */
  static final String REFUSED = "2D000";

  /** Connection does not exist, in the SQL standard. */
  private static final String ENDED = "08003";

  private static final Set<String> ENDING =
      Set.of("commit", "setAutoCommit", "close", "abort", "beginRequest", "endRequest");

  /** What may still be called when the server has ended the transaction. */
  private static final Set<String> HARMLESS = Set.of("close", "isClosed", "cancel");

  private final String resource;
  private final Connection raw;
  private final Dialect dialect;
  private final Connection view;
  private volatile @Nullable SQLException ending;
  private volatile @Nullable SQLException firstFailure;
  private volatile @Nullable FencingException refusal;

  /** Read by every call, written by the end: no call is under way when the transaction ends. */
  private final ReadWriteLock calls = new ReentrantReadWriteLock();

  private boolean ended;
  private volatile boolean suspect;

  GuardedConnection(String resource, Connection raw, Dialect dialect) {
    this.resource = resource;
    this.raw = raw;
    this.dialect = dialect;
    this.view = (Connection) SqlView.of(this, raw);
  }

  Connection view() {
    return view;
  }

  @Override
  public Object connection() {
    return view;
  }

  /** The first exception that a statement of the work threw, swallowed by it or not. */
  @Nullable SQLException firstFailure() {
    return firstFailure;
  }

  /** The error with which the server rolled the transaction back, so that the next begins anew. */
  @Nullable SQLException ending() {
    return ending;
  }

  /** The guard behind a connection that is a view, null for any other connection. */
  static @Nullable GuardedConnection of(Connection connection) {
    SqlView behind = SqlView.behind(connection);
    return behind != null && behind.gate() instanceof GuardedConnection guard ? guard : null;
  }

  /** Remembers the refusal of a check that the work made itself, swallowed by it or not. */
  void refuseCommit(FencingException refused) {
    refusal = refused;
  }

  @Nullable FencingException refusal() {
    return refusal;
  }

  /** Whether the server may have given the transaction up without the work's knowledge. */
  boolean isSuspect() {
    return suspect;
  }

  /** Makes every view useless, once the calls that other threads have under way have returned. */
  void end() {
    calls.writeLock().lock();
    try {
      ended = true;
    } finally {
      calls.writeLock().unlock();
    }
  }

  @Override
  public @Nullable Object pass(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    calls.readLock().lock();
    try {
      if (ended) {
        return afterTheEnd(method.getName());
      }
      if (called.target() instanceof Connection) {
        refuseToEnd(method.getName(), arguments);
      }
      refuseInside(method.getName(), arguments);
      Object result = called.call(method, arguments);
      // The streams of a large object fail with an IOException, past this guard.
      if (result instanceof Blob || result instanceof Clob) {
        suspect = true;
      }
      return result;
    } finally {
      calls.readLock().unlock();
    }
  }

  @Override
  public void failed(SQLException failure) {
    if (firstFailure == null) {
      firstFailure = failure;
      suspect = true;
    }
    if (ending == null && dialect.endsTransaction(raw, failure)) {
      ending = failure;
    }
  }

  /** Looks at what is sent: a text that would end the transaction, or anything after its end. */
  private void refuseInside(String name, @Nullable Object @Nullable [] arguments)
      throws SQLException {
    SQLException over = ending;
    if (over != null && !HARMLESS.contains(name)) {
      throw new SQLException(
          "%s() is refused: the database has rolled the fenced transaction of resource \"%s\" back with an error (%s), and what follows would run in a new one, unchecked. Let the exception out of the work, and run it again"
              .formatted(name, resource, over.getMessage()),
          REFUSED,
          over);
    }
    if (arguments != null
        && arguments.length > 0
        && arguments[0] instanceof String sql
        && (name.startsWith("prepare") || name.startsWith("execute") || name.equals("addBatch"))) {
      String keyword = EndingStatement.refused(dialect.rules(), sql);
      if (keyword != null) {
        throw EndingStatement.refusal(keyword, "resource \"" + resource + "\"");
      }
    }
  }

  private void refuseToEnd(String name, @Nullable Object @Nullable [] arguments)
      throws SQLException {
    boolean wholeRollback = name.equals("rollback") && (arguments == null || arguments.length == 0);
    if (ENDING.contains(name) || wholeRollback) {
      throw new SQLException(
          name
              + "() is refused inside the fenced transaction of resource \""
              + resource
              + "\": it commits when the work returns and is rolled back when it throws",
          REFUSED);
    }
  }

  private @Nullable Object afterTheEnd(String name) throws SQLException {
    return switch (name) {
      case "isClosed" -> true;
      case "isValid" -> false;
      case "close" -> null;
      default ->
          throw new SQLException(
              name
                  + "() came too late: the fenced transaction of resource \""
                  + resource
                  + "\" has ended, and its connection with it",
              ENDED);
    };
  }
}
