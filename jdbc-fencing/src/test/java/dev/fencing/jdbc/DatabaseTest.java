package dev.fencing.jdbc;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A guard table and one account of 100, and nothing left behind. */
abstract class DatabaseTest {

  final DataSource dataSource = dataSource();
  final Sql sql = new Sql(dataSource);
  final JdbcFence fence = JdbcFence.of(dataSource);

  abstract DataSource dataSource();

  @BeforeEach
  void createTables() throws SQLException {
    fence.createSchema();
    sql.run("DELETE FROM fence"); // What the self-test has left.
    sql.run("CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)");
    sql.run("INSERT INTO account VALUES (1, 100)");
  }

  @AfterEach
  void leaveNothing() throws SQLException {
    sql.awaitNoOpenTransactions();
    sql.run("DROP TABLE IF EXISTS account, fence, fence_operation, journal, strict");
  }

  long balance() throws SQLException {
    return sql.number("SELECT balance FROM account WHERE id = 1");
  }
}
