package dev.fencing.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Tells a connection that has joined somebody else's transaction from one of a pool that turns
 * autocommit off, before anything of that transaction is ended.
 */
final class OuterTransaction {

  /** Of the handler behind a connection of Spring's TransactionAwareDataSourceProxy. */
  private static final String JOINING =
      "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy";

  private static final String H2_CHANGED =
      "SELECT contains_uncommitted FROM information_schema.sessions"
          + " WHERE session_id = SESSION_ID()";

  private OuterTransaction() {}

  /**
   * Ends what a pool's test query may have opened, with a snapshot, in front of the library's own
   * transaction.
   *
   * @param connection that has come with autocommit off
   * @throws IllegalStateException if it is in a transaction that is not the library's to end; that
   *     transaction stays as it is
   */
  static void refuseOrEnd(Connection connection) throws SQLException {
    if (joins(connection) || hasWork(connection)) {
      throw new IllegalStateException(
          "the DataSource gave a connection that belongs to a transaction which is open already, as one does that joins the transaction of its thread (Spring's TransactionAwareDataSourceProxy). A raise or a check in it would end with that transaction or end it, and may come after its reads. Nothing was done to it. Give JdbcFence or FencedTable the DataSource underneath, and raise before the transaction begins");
    }
    connection.rollback();
  }

  private static boolean joins(Connection connection) {
    return Proxy.isProxyClass(connection.getClass())
        && Proxy.getInvocationHandler(connection).getClass().getName().startsWith(JOINING);
  }

  /**
   * Whether the transaction has done what a rollback would undo.
   *
   * <p>A query of no table, as the test query of a pool, never counts; a read of a table does on
   * MariaDB alone. On MySQL nothing is told and the answer is no: of the server's own views those
   * that know are not for every role, and there is no variable.
   */
  private static boolean hasWork(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    String product = database.getDatabaseProductName();
    if (product.equals("PostgreSQL")) {
      return isInside(connection) && wroteOrFailed(connection);
    }
    if (product.equals("H2")) {
      return isTrue(connection, H2_CHANGED);
    }
    // The driver of MySQL gives its own name to both. Neither asks the server here.
    boolean mariaDb =
        product.equals("MariaDB") || database.getDatabaseProductVersion().contains("MariaDB");
    return mariaDb && isTrue(connection, "SELECT @@in_transaction");
  }

  /** The driver refuses that inside a transaction, and sends nothing outside of one. */
  private static boolean isInside(Connection connection) {
    try {
      connection.setReadOnly(connection.isReadOnly());
      return false;
    } catch (SQLException insideATransaction) {
      return true;
    }
  }

  private static boolean wroteOrFailed(Connection connection) throws SQLException {
    try {
      return isTrue(connection, "SELECT pg_current_xact_id_if_assigned() IS NOT NULL");
    } catch (SQLException e) {
      if ("25P02".equals(e.getSQLState())) {
        return true;
      }
      throw e;
    }
  }

  private static boolean isTrue(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(query)) {
      return results.next() && results.getBoolean(1);
    }
  }
}
