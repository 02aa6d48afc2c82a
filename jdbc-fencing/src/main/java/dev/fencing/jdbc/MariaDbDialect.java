package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The fence on MariaDB 10.6 and later, by its own driver or by MySQL's.
 *
 * <p>Each operation is one round trip, a renewal two, and one more on a connection that comes with
 * autocommit off, see {@link OuterTransaction}. A raise waits in the queue of the row lock, in
 * which no later check gets in front of it.
 */
final class MariaDbDialect extends InnoDbDialect {

  MariaDbDialect(String table) {
    super(table, "mariadb.sql", "utf8mb4_nopad_bin", " LOCK IN SHARE MODE");
  }

  /** The whole statement, however many locks it waits for; nothing of it stays in the session. */
  private static String within(Duration bound, String statement) {
    return "SET STATEMENT max_statement_time=" + seconds(bound) + " FOR " + statement;
  }

  @Override
  void lock(Connection connection, String resource, Duration bound) {}

  @Override
  String raiseSql(Duration bound) {
    return within(bound, upsert() + " RETURNING " + ROW);
  }

  @Override
  String renewSql(Duration bound) {
    return within(bound, update());
  }

  @Override
  String checkSql(Duration bound) {
    return within(bound, selectBoth() + " LOCK IN SHARE MODE");
  }

  /** Of the transaction that the next statement begins. */
  @Override
  public boolean isReadOnly(Connection connection) throws SQLException {
    return list(connection, "SELECT @@tx_read_only").contains("1");
  }

  @Override
  public boolean endsTransaction(Connection connection, SQLException failure) {
    return super.endsTransaction(connection, failure)
        || isTrue(connection, "SELECT NOT @@in_transaction");
  }
}
