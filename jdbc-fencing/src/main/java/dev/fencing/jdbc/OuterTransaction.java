package dev.fencing.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
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

  /** What only reads, as a pool's test query, is not told from none. */
  private static boolean hasWork(Connection connection) throws SQLException {
    if (!"PostgreSQL".equals(connection.getMetaData().getDatabaseProductName())) {
      return false;
    }
    try {
      // The driver refuses that inside a transaction, and sends nothing outside of one.
      connection.setReadOnly(connection.isReadOnly());
      return false;
    } catch (SQLException insideATransaction) {
      return wroteOrFailed(connection);
    }
  }

  private static boolean wroteOrFailed(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet results =
            statement.executeQuery("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")) {
      return results.next() && results.getBoolean(1);
    } catch (SQLException e) {
      if ("25P02".equals(e.getSQLState())) {
        return true;
      }
      throw e;
    }
  }
}
