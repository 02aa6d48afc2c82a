package dev.fencing.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a {@link FencedDataSource}: sees every call on it and on what comes from it, and
 * lets none of them past the check.
 */
final class FencedConnection implements SqlView.Gate {

  private static final System.Logger LOG = System.getLogger(FencedConnection.class.getName());

  private final JdbcFence fence;
  private final Connection raw;
  private final Connection view;
  private final FollowedTransaction transaction;
  private final ReentrantLock calls = new ReentrantLock();
  private volatile @Nullable Set<FencedConnection> notedIn;

  FencedConnection(
      JdbcFence fence,
      Connection raw,
      boolean refuseUnbound,
      boolean autoCommit,
      AtomicBoolean readOnlyIsKept) {
    this.fence = fence;
    this.raw = raw;
    this.view = (Connection) SqlView.of(this, raw);
    this.transaction =
        new FollowedTransaction(fence, raw, refuseUnbound, autoCommit, readOnlyIsKept);
  }

  Connection view() {
    return view;
  }

  @Override
  public Object connection() {
    return view;
  }

  /** Whether it has a transaction open that has checked this resource. */
  boolean holdsFence(String resource) {
    calls.lock();
    try {
      return transaction.holdsFence(resource);
    } finally {
      calls.unlock();
    }
  }

  void noteIn(Set<FencedConnection> taken) {
    taken.add(this);
    notedIn = taken;
  }

  /** Rolls back what the work of a hold has left open on a connection that it did not close. */
  void leaked() {
    calls.lock();
    try {
      if (transaction.holdsFence()) {
        LOG.log(
            System.Logger.Level.WARNING,
            "a connection was still open, with a transaction on {0}, when the work of the hold"
                + " returned; the transaction is rolled back. Commit and close it inside the work",
            transaction);
        transaction.abandon(new SQLException("left open"));
      }
    } catch (SQLException e) {
      LocalTransaction.abort(raw, e);
      LOG.log(System.Logger.Level.WARNING, "the connection was cut", e);
    } finally {
      calls.unlock();
    }
  }

  @Override
  public void failed(SQLException failure) {
    transaction.failed(failure);
  }

  @Override
  public @Nullable Object pass(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (Calls.comesFromOutside(method)) {
      return called.call(method, arguments);
    }
    calls.lock();
    try {
      Object result = follow(called, method, arguments);
      if (Calls.isLarge(result)) {
        transaction.suspect(); // Its streams fail with an IOException, past this gate.
      }
      return result;
    } finally {
      calls.unlock();
    }
  }

  private @Nullable Object follow(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    Object target = called.target();
    if (target instanceof Connection) {
      return onConnection(called, method, arguments);
    } else if (target instanceof Statement) {
      return onStatement(called, method, arguments);
    } else if (target instanceof ResultSet) {
      return onResultSet(called, method, arguments);
    } else if (Calls.writes(target, method)) {
      return inTransaction(called, method, arguments);
    } else if (Calls.asksTheServer(target, method)) {
      transaction.beforeQuestion();
    }
    return called.call(method, arguments);
  }

  private @Nullable Object onConnection(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    boolean flag = arguments != null && arguments.length > 0 && Boolean.TRUE.equals(arguments[0]);
    boolean wholeRollback = name.equals("rollback") && (arguments == null || arguments.length == 0);
    if (wholeRollback) {
      transaction.rollback();
      return null;
    }
    switch (name) {
      case "getAutoCommit" -> {
        return transaction.autoCommit();
      }
      case "setAutoCommit" -> setAutoCommit(flag);
      case "commit" -> transaction.commit();
      case "close" -> close();
      case "setReadOnly", "setTransactionIsolation" -> {
        transaction.finishWrapped();
        if (name.equals("setReadOnly") && !flag && transaction.isReadOnly()) {
          throw new SQLException(
              "setReadOnly(false) inside a read-only transaction, which was not checked: commit it or roll it back first",
              "25001");
        }
        called.call(method, arguments);
        if (name.equals("setReadOnly")) {
          transaction.readOnly().want(flag);
        }
      }
      default -> {
        return onOther(called, method, arguments);
      }
    }
    return null;
  }

  private @Nullable Object onOther(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    if (name.startsWith("prepare")) {
      look(arguments);
    }
    if (Calls.isHarmless(name)) {
      return called.call(method, arguments);
    } else if (Calls.isQuestion(name)) {
      transaction.beforeQuestion();
      return called.call(method, arguments);
    }
    return inTransaction(called, method, arguments);
  }

  /** Mappers clean up by this, and go on to close the connection after an SQLException only. */
  private void setAutoCommit(boolean value) throws SQLException {
    try {
      transaction.setAutoCommit(value);
    } catch (UnknownOutcomeException e) {
      throw e;
    } catch (FencingException e) {
      throw new SQLException(e.getMessage(), "40000", e);
    }
  }

  private void close() throws SQLException {
    Set<FencedConnection> taken = notedIn;
    if (taken != null) {
      taken.remove(this);
    }
    SQLException failure = null;
    try {
      if (!raw.isClosed()) {
        transaction.close();
      }
    } catch (SQLException e) {
      failure = e;
      LocalTransaction.abort(raw, e); // No pool may hand it out with a transaction open.
    } finally {
      raw.close();
    }
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable Object onStatement(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    if (name.startsWith("execute")) {
      look(arguments);
      return execute(called, method, arguments);
    } else if (name.equals("addBatch")) {
      look(arguments);
    }
    Object result = called.call(method, arguments);
    Statement statement = (Statement) called.target();
    boolean over =
        name.equals("close")
            || (name.equals("getMoreResults")
                && transaction.isWrapped()
                && Boolean.FALSE.equals(result)
                && statement.getUpdateCount() == -1);
    if (over) {
      transaction.resultClosed(statement);
    }
    return result;
  }

  private @Nullable Object onResultSet(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    boolean writes =
        name.equals("updateRow") || name.equals("insertRow") || name.equals("deleteRow");
    if (writes && !transaction.holdsFence()) {
      return inTransaction(called, method, arguments);
    }
    Object result = called.call(method, arguments);
    SqlView statement = called.parent();
    if (name.equals("close") && statement != null) {
      transaction.resultClosed(statement.target());
    }
    return result;
  }

  private @Nullable Object execute(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    transaction.beforeStatement();
    Statement statement = (Statement) called.target();
    // In autocommit mode a driver reads whole results; a cursor would not outlive our commit, and
    // what MySQL's driver streams, at a negative size, would keep it from being sent.
    int fetchSize = transaction.isWrapped() ? statement.getFetchSize() : 0;
    Object result;
    try {
      if (fetchSize != 0) {
        statement.setFetchSize(0);
      }
      result = called.call(method, arguments);
    } catch (Throwable e) {
      boolean wrapped = transaction.isWrapped();
      transaction.statementFailed(e);
      throw wrapped ? Refusals.notInATransaction(e) : e;
    }
    if (fetchSize != 0) {
      statement.setFetchSize(fetchSize);
    }
    boolean hasResult = result instanceof ResultSet || Boolean.TRUE.equals(result);
    // A result whose rows are updated needs its transaction. Any other has been read by the driver,
    // and is committed before it is handed out: templates swallow what the close of a result
    // throws.
    boolean mayWrite =
        hasResult && statement.getResultSetConcurrency() == ResultSet.CONCUR_UPDATABLE;
    transaction.afterStatement(mayWrite ? statement : null);
    return result;
  }

  private @Nullable Object inTransaction(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    transaction.beforeStatement();
    Object result;
    try {
      result = called.call(method, arguments);
    } catch (Throwable e) {
      transaction.statementFailed(e);
      throw e;
    }
    transaction.afterStatement(null);
    return result;
  }

  /** Refuses a text that would end the transaction past this connection. */
  private void look(@Nullable Object @Nullable [] arguments) throws SQLException {
    String sql = SqlView.firstText(arguments);
    if (sql != null) {
      fence.check().look(sql, transaction);
    }
  }
}
