package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.MariaDbServer.Driver;
import dev.fencing.fixtures.TcpProxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** What the fence sets, needs and survives on MariaDB in particular. */
class MariaDbDialectTest extends RowLockContract {

  @BeforeAll
  static void needsTheServer() {
    assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
  }

  @Override
  DataSource dataSource() {
    return MariaDbServer.shared().orElseThrow().dataSource();
  }

  @Test
  void nothingThatIsSetForACheckOutlastsIt() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = dataSource.getConnection()) {
      Sql.execute(connection, "SET max_statement_time = 7, innodb_lock_wait_timeout = 8");
      connection.setAutoCommit(false);
      ledger.check(connection);
      assertThat(Sql.number(connection, "SELECT floor(@@max_statement_time)")).isEqualTo(7);
      assertThat(Sql.number(connection, "SELECT @@innodb_lock_wait_timeout")).isEqualTo(8);
      connection.rollback();
    }
  }

  /** It would begin the transaction of a stale holder again, past the check. */
  @Test
  void aDriverThatRepeatsTransactionsByItselfIsRefused() throws SQLException {
    int port = MariaDbServer.shared().orElseThrow().port();
    MariaDbDataSource replaying =
        new MariaDbDataSource(
            "jdbc:mariadb:sequential://127.0.0.1:%1$d,127.0.0.1:%1$d/fencing?user=%2$s&transactionReplay=1"
                .formatted(port, MariaDbServer.shared().orElseThrow().user()));

    assertThatThrownBy(() -> JdbcFence.of(replaying).raise("ledger", 33))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("transactionReplay");
    assertThatThrownBy(
            () ->
                FencedTable.builder(replaying, "account")
                    .fenceColumn("balance")
                    .deletesForGood()
                    .build()
                    .delete(33, 1))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("transactionReplay");
    assertThat(fence.current("ledger")).isEmpty();
  }

  /** A stream would still be open at the commit, which the driver then does not send. */
  @Test
  void aQueryThatMySqlsDriverWouldStreamIsReadAtOnceInAutocommitMode() throws SQLException {
    JdbcFence streaming =
        JdbcFence.of(MariaDbServer.shared().orElseThrow().dataSource(Driver.MYSQL));
    FencedResource ledger = streaming.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection =
                  new FencedDataSource(streaming, FencedDataSource.Unbound.PASS).getConnection();
              Statement query = connection.createStatement()) {
            query.setFetchSize(Integer.MIN_VALUE);
            ResultSet results = query.executeQuery("SELECT balance FROM account");
            assertThat(sql.openTransactions()).isZero();
            assertThat(results.next()).isTrue();
            assertThat(query.getFetchSize()).isEqualTo(Integer.MIN_VALUE);
          }
          return 0;
        });
    assertThat(ledger.isUsable()).isTrue();
  }

  /**
   * Another plain read has made the snapshot, which the locking read of the check does not show.
   */
  @Test
  void aSnapshotThatIsOlderThanTheRaiseIsRefused() throws SQLException {
    fence.raise("ledger", 33);
    try (Connection early = dataSource.getConnection()) {
      early.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      early.setAutoCommit(false);
      Sql.number(early, "SELECT count(*) FROM account");
      FencedResource current = fence.raise("ledger", 34);

      assertThatThrownBy(() -> current.check(early))
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContaining("has read before the check");
      assertThat(early.isClosed()).isTrue();
      assertThat(current.isUsable()).isTrue();
    }
  }

  /** The server rolls back by itself, with an error that is no deadlock. */
  @Test
  void aSwallowedConflictWithTheSnapshotCannotBeFollowedByAWriteThatCommits() throws SQLException {
    DataSource isolated =
        MariaDbServer.shared()
            .orElseThrow()
            .dataSource(Driver.MARIADB, "sessionVariables=innodb_snapshot_isolation=1");
    FencedResource ledger = JdbcFence.of(isolated).raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      Sql.number(c, "SELECT balance FROM account");
                      sql.run("UPDATE account SET balance = 7");
                      assertThatThrownBy(() -> FenceContract.setBalance(c, 5))
                          .hasFieldOrPropertyWithValue("errorCode", 1020);
                      assertThatThrownBy(() -> FenceContract.setBalance(c, 6))
                          .hasMessageContaining("unchecked");
                      return 0;
                    }))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContaining("Record has changed");
    assertThat(balance()).isEqualTo(7);
  }

  /** The driver names the first failure, and has sent what follows the one that rolled back. */
  @Test
  void aRollbackInTheMiddleOfABatchCannotBeFollowedByAWriteThatCommits() throws SQLException {
    DataSource isolated =
        MariaDbServer.shared()
            .orElseThrow()
            .dataSource(Driver.MARIADB, "sessionVariables=innodb_snapshot_isolation=1");
    FencedResource ledger = JdbcFence.of(isolated).raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      Sql.number(c, "SELECT balance FROM account");
                      sql.run("UPDATE account SET balance = 7");
                      try (Statement batch = c.createStatement()) {
                        batch.addBatch("INSERT INTO fence_operation SELECT 'a', 'a', 0, 1, now()");
                        batch.addBatch("INSERT INTO fence_operation SELECT 'a', 'a', 0, 1, now()");
                        batch.addBatch("UPDATE account SET balance = 5");
                        batch.addBatch("INSERT INTO account VALUES (2, 2)");
                        assertThatThrownBy(batch::executeBatch)
                            .isInstanceOf(BatchUpdateException.class)
                            .hasFieldOrPropertyWithValue("errorCode", 1062);
                      }
                      return 0;
                    }))
        .isExactlyInstanceOf(FencingException.class);
    assertThat(sql.number("SELECT count(*) FROM account")).isEqualTo(1);
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aReadOnlyTransactionIsNotChecked() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    old.call(
        hold -> {
          try (Connection connection =
              new FencedDataSource(fence, FencedDataSource.Unbound.PASS).getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM account"))
                .hasMessageContaining("READ ONLY");
            connection.rollback();
            connection.setReadOnly(false);
            assertThatThrownBy(() -> Sql.number(connection, "SELECT balance FROM account"))
                .isInstanceOf(StaleTokenException.class);
            connection.rollback();
          }
          return 0;
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE fence ENGINE=Aria",
        "ALTER TABLE fence_operation ENGINE=Aria",
        "ALTER TABLE fence CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        "ALTER TABLE fence CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "ALTER TABLE fence CONVERT TO CHARACTER SET latin1 COLLATE latin1_nopad_bin",
        "ALTER TABLE fence MODIFY resource varchar(20) COLLATE utf8mb4_nopad_bin NOT NULL",
        "ALTER TABLE fence MODIFY origin varchar(1023) COLLATE utf8mb4_nopad_bin",
        "ALTER TABLE fence_operation MODIFY operation_id varchar(254) COLLATE utf8mb4_nopad_bin",
        "ALTER TABLE fence MODIFY token int NOT NULL",
        "ALTER TABLE fence MODIFY token bigint unsigned NOT NULL",
        "ALTER TABLE fence DROP COLUMN holder",
        "ALTER TABLE fence DROP PRIMARY KEY",
        "ALTER TABLE fence_operation DROP PRIMARY KEY, ADD PRIMARY KEY (operation_id)"
      })
  void aTableThatCannotHoldAFenceIsRefused(String damage) throws SQLException {
    sql.run(damage);

    assertThatThrownBy(() -> JdbcFence.of(dataSource).raise("ledger", 33))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS fence (");
  }

  @Test
  void theGuardTableMayBeInAnotherDatabase() throws SQLException {
    sql.run("CREATE DATABASE locks");
    try {
      JdbcFence other = JdbcFence.builder(dataSource).table("locks.guard").build();
      other.createSchema();
      other.raise("ledger", 33).inTransaction(c -> FenceContract.setBalance(c, 5));
      assertThat(sql.number("SELECT token FROM locks.guard WHERE resource = 'ledger'"))
          .isEqualTo(33);
    } finally {
      sql.run("DROP DATABASE locks");
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aRoleWithSelectInsertAndUpdateOnTheGuardTableIsEnough() throws SQLException {
    sql.run(
        "CREATE USER app@'%'",
        "GRANT SELECT, INSERT, UPDATE ON fence TO app@'%'",
        "GRANT SELECT, INSERT ON fence_operation TO app@'%'",
        "GRANT SELECT, UPDATE ON account TO app@'%'");
    try {
      MariaDbDataSource asApp = (MariaDbDataSource) dataSource();
      asApp.setUser("app");
      JdbcFence app = JdbcFence.builder(asApp).raiseTimeout(Duration.ofSeconds(2)).build();
      app.checkSchema();

      FencedResource ledger = app.raise("ledger", 33);
      ledger.inTransaction("op-1", c -> FenceContract.setBalance(c, 5));
      try (Connection blocker = dataSource.getConnection()) {
        blocker.setAutoCommit(false);
        ledger.check(blocker);
        assertThatThrownBy(() -> app.raise("ledger", 34))
            .isInstanceOf(FenceBusyException.class)
            .hasMessageContaining("PROCESS privilege");
        blocker.rollback();
      }
      assertThat(balance()).isEqualTo(5);
    } finally {
      sql.run("DROP USER app@'%'");
    }
  }

  @Test
  void aRaiseIsTwoRoundTripsAndACheckIsOneAndWithAutocommitOffOneMore() throws Exception {
    MariaDbServer server = MariaDbServer.shared().orElseThrow();
    try (TcpProxy proxy = TcpProxy.to(server.port())) {
      HikariConfig config = new HikariConfig();
      config.setDataSource(server.dataSource(proxy.port()));
      config.setMaximumPoolSize(1);
      config.setAutoCommit(false);
      try (HikariDataSource pool = new HikariDataSource(config)) {
        JdbcFence pooled = JdbcFence.of(pool);
        pooled.raise("ledger", 33);
        long before = proxy.requests();
        FencedResource ledger = pooled.raise("ledger", 34);
        long raised = proxy.requests();
        ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
        long fenced = proxy.requests();
        try (Connection plain = pool.getConnection()) {
          FenceContract.setBalance(plain, 6);
          plain.commit();
        }
        long unfenced = proxy.requests();

        assertThat(raised - before)
            .as("whether work is open, the raise and its COMMIT")
            .isEqualTo(3);
        assertThat(unfenced - fenced).as("the statement and its COMMIT").isEqualTo(2);
        assertThat(fenced - raised)
            .as("whether work is open, the check, the statement and its COMMIT")
            .isEqualTo(4);
      }
    }
  }
}
