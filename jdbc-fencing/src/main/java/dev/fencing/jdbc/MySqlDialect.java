package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The fence on MySQL 8 and later.
 *
 * <p>A check is one round trip. A raise is three, because only a SELECT can be bounded by itself
 * there: it takes the row, and what follows does not wait.
 */
final class MySqlDialect extends InnoDbDialect {

  MySqlDialect(String table) {
    super(table, "mysql.sql", "utf8mb4_0900_bin", " FOR SHARE");
  }

  /** Of the transaction that the next statement begins. */
  @Override
  public boolean isReadOnly(Connection connection) throws SQLException {
    return list(connection, "SELECT @@transaction_read_only").contains("1");
  }

  private static String within(Duration bound, String select) {
    return "SELECT /*+ MAX_EXECUTION_TIME("
        + Math.max(1, bound.toMillis())
        + ") */"
        + select.substring("SELECT".length());
  }

  @Override
  void lock(Connection connection, String resource, Duration bound) throws SQLException {
    query(connection, within(bound, select("")) + " FOR UPDATE", resource);
  }

  @Override
  String raiseSql(Duration bound) {
    return upsert();
  }

  @Override
  String renewSql(Duration bound) {
    return update();
  }

  @Override
  String checkSql(Duration bound) {
    return within(bound, selectBoth()) + " FOR SHARE";
  }
}
