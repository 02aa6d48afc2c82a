package dev.fencing.jdbc;

import java.lang.reflect.Method;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
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

  /** Calls of a connection that send nothing, or nothing that a transaction begins with. */
  private static final Set<String> HARMLESS =
      Set.of(
          "createStatement",
          "prepareStatement",
          "prepareCall",
          "nativeSQL",
          "isClosed",
          "isValid",
          "getWarnings",
          "clearWarnings",
          "getMetaData",
          "isReadOnly",
          "getTransactionIsolation",
          "setTransactionIsolation",
          "getHoldability",
          "setHoldability",
          "getNetworkTimeout",
          "setNetworkTimeout",
          "getClientInfo",
          "getTypeMap",
          "setTypeMap",
          "isWrapperFor",
          "unwrap",
          "beginRequest",
          "endRequest",
          "rollback", // to a savepoint, which was set behind the check
          "releaseSavepoint");

  /** Calls that another thread makes while a statement is running. */
  private static final Set<String> FROM_OUTSIDE = Set.of("cancel", "abort", "isClosed");

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
        transaction.rollback();
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
    if (FROM_OUTSIDE.contains(method.getName())) {
      return called.call(method, arguments);
    }
    calls.lock();
    try {
      Object target = called.target();
      if (target instanceof Connection) {
        return onConnection(called, method, arguments);
      } else if (target instanceof Statement) {
        return onStatement(called, method, arguments);
      } else if (target instanceof ResultSet) {
        return onResultSet(called, method, arguments);
      } else if (writes(target, method) || asksTheServer(target, method)) {
        return inTransaction(called, method, arguments);
      }
      return called.call(method, arguments);
    } finally {
      calls.unlock();
    }
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
      case "setAutoCommit" -> transaction.setAutoCommit(flag);
      case "commit" -> transaction.commit();
      case "close" -> close();
      case "setReadOnly" -> {
        called.call(method, arguments);
        transaction.readOnly(flag);
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
    return HARMLESS.contains(name)
        ? called.call(method, arguments)
        : inTransaction(called, method, arguments);
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

  private static boolean writes(Object target, Method method) {
    return (target instanceof Blob || target instanceof Clob)
        && (method.getName().startsWith("set") || method.getName().equals("truncate"));
  }

  /** Questions about the schema are statements like others, and may take the snapshot. */
  private boolean asksTheServer(Object target, Method method) {
    return target instanceof DatabaseMetaData
        && method.getReturnType() == ResultSet.class
        && !transaction.autoCommit();
  }

  private @Nullable Object execute(
      SqlView called, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    transaction.beforeStatement();
    Statement statement = (Statement) called.target();
    // In autocommit mode a driver reads whole results; a cursor would not outlive our commit.
    int fetchSize = transaction.isWrapped() ? statement.getFetchSize() : 0;
    Object result;
    try {
      if (fetchSize > 0) {
        statement.setFetchSize(0);
      }
      result = called.call(method, arguments);
    } catch (Throwable e) {
      boolean wrapped = transaction.isWrapped();
      transaction.statementFailed(e);
      throw wrapped ? explained(e) : e;
    }
    if (fetchSize > 0) {
      statement.setFetchSize(fetchSize);
    }
    boolean hasResult = result instanceof ResultSet || Boolean.TRUE.equals(result);
    transaction.afterStatement(hasResult ? statement : null);
    return result;
  }

  /** For what cannot run in a transaction, and could where autocommit mode was not wrapped. */
  private static Throwable explained(Throwable failure) {
    return failure instanceof SQLException sql && "25001".equals(sql.getSQLState())
        ? new SQLException(
            sql.getMessage()
                + ". Under a hold every statement runs in a transaction that checks the fence; run this one where no hold is bound",
            sql.getSQLState(),
            sql)
        : failure;
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
    if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
      fence.check().look(sql, transaction);
    }
  }
}
