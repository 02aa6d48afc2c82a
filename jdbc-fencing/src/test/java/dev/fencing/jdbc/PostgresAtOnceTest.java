package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** What may go wrong with a claim or a write that travels together with its COMMIT. */
class PostgresAtOnceTest extends DatabaseTest {

  private static final Duration PATIENCE = Duration.ofMillis(300);

  @Override
  DataSource dataSource() {
    return PostgresServer.shared().dataSource();
  }

  @BeforeEach
  void createMore() throws SQLException {
    sql.run(
        "ALTER TABLE account ADD fencing_token bigint, ADD deleted_at timestamptz",
        "CREATE TABLE journal (line text)");
  }

  @AfterEach
  void dropFunctions() throws SQLException {
    sql.run("DROP FUNCTION IF EXISTS note() CASCADE");
  }

  private FencedTable checked(DataSource pool) {
    return checked(FencedTable.builder(pool, "account"));
  }

  /** The first use looks at the table, and goes the long way. */
  private static FencedTable checked(FencedTableBuilder builder) {
    FencedTable account = builder.build();
    account.overwrite(1, Map.of("balance", 100), 1);
    return account;
  }

  private long fenceOfTheRow() throws SQLException {
    return sql.number("SELECT fencing_token FROM account");
  }

  @Test
  void aDurableClaimIsNeverSaidToBeUnwritten() throws SQLException {
    FencedTable account =
        FencedTable.builder(dataSource, "account").tombstoneColumn("deleted_at").build();
    assertThat(account.claim(1, 1).isDeleted()).isFalse();
    sql.run("UPDATE account SET deleted_at = now()");

    assertThatThrownBy(() -> account.claim(33, 1).isUsable())
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("deleted_at", "claim of account[id=1] with token 33 is durable")
        .hasMessageNotContaining("Nothing was written");
    assertThat(fenceOfTheRow()).isEqualTo(33);
  }

  @Test
  void aTriggerThatARefusedWriteHasCalledLeavesNothing() throws SQLException {
    FencedTable account = checked(dataSource);
    account.overwrite(34, Map.of("balance", 100), 1);
    sql.run(
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " INSERT INTO journal VALUES (TG_OP);"
            + " RETURN CASE TG_OP WHEN 'INSERT' THEN NEW END; END $$",
        "CREATE TRIGGER note BEFORE INSERT OR UPDATE ON account"
            + " FOR EACH ROW EXECUTE FUNCTION note()");

    assertThat(account.tryUpsert(33, Map.of("balance", 5), 1)).isEqualTo(UpdateOutcome.STALE);
    assertThat(account.tryOverwrite(35, Map.of("balance", 5), 1)).isEqualTo(UpdateOutcome.HIDDEN);
    assertThatThrownBy(() -> account.claim(36, 1).isUsable())
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("Nothing is kept");
    assertThat(sql.number("SELECT count(*) FROM journal")).isZero();
  }

  @Test
  void aConnectionThatCannotBeHadIsNoUnknownOutcomeHoweverLateItIsAskedFor() throws SQLException {
    try (HikariDataSource pool = new SingleConnection(dataSource, PATIENCE)) {
      FencedTable account = checked(new LazyConnectionDataSourceProxy(pool));
      FencedRow row = account.claim(33, 1);
      FencedResource ledger =
          JdbcFence.of(new LazyConnectionDataSourceProxy(pool))
              .attach(fence.raise("ledger", 33).toText());
      ledger.update("UPDATE account SET balance = 4");
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isValid(30)).isTrue();

        assertThatThrownBy(() -> row.write(Map.of("balance", 5)))
            .isExactlyInstanceOf(FencingException.class)
            .hasMessageContaining("Nothing was written");
        assertThatThrownBy(() -> ledger.update("UPDATE account SET balance = 5"))
            .isExactlyInstanceOf(FencingException.class);
      }
      row.write(Map.of("balance", 6));
      ledger.update("UPDATE account SET balance = balance + 1");
    }
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void anExhaustedPoolIsAskedOnce() throws SQLException {
    AtomicInteger asked = new AtomicInteger();
    try (HikariDataSource pool = new SingleConnection(dataSource, PATIENCE)) {
      FencedTable account =
          checked(
              new DelegatingDataSource(pool) {
                @Override
                public Connection getConnection() throws SQLException {
                  asked.incrementAndGet();
                  return super.getConnection();
                }
              });
      int before = asked.get();
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isValid(30)).isTrue();
        assertThatThrownBy(() -> account.claim(33, 1).isUsable())
            .isExactlyInstanceOf(FencingException.class)
            .hasMessageContainingAll("claim of account[id=1]", "Nothing was written");
      }
      assertThat(asked.get() - before).isEqualTo(1);
    }
  }

  @Test
  void whatHasTakenTheTimeIsToldAndNotThatItIsUp() throws SQLException {
    FencedTable account =
        checked(FencedTable.builder(dataSource, "account").timeout(Duration.ofMillis(200)));
    sql.run(
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " RAISE EXCEPTION 'never serializable' USING ERRCODE = '40001'; END $$",
        "CREATE CONSTRAINT TRIGGER note AFTER UPDATE ON account DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION note()");

    assertThatThrownBy(() -> account.claim(33, 1).isUsable())
        .isInstanceOf(FenceBusyException.class)
        .hasMessageContainingAll("never serializable", "40001", "Nothing was written");
  }

  @Test
  void aNameThatIsAWordOfTheDatabaseIsNotTakenForAColumn() throws SQLException {
    sql.run("ALTER TABLE account ADD \"user\" text UNIQUE", "UPDATE account SET \"user\" = 'x'");
    FencedTable byUser = FencedTable.builder(dataSource, "account").key("user").build();

    assertThatThrownBy(
            () -> byUser.overwrite(33, Map.of("balance", 5), PostgresServer.shared().user()))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContainingAll("account", "user", "quoted");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aReadOnlyConnectionWritesNothing() throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(dataSource);
      pool.setMaximumPoolSize(1);
      pool.setReadOnly(true);
      FencedTable account = FencedTable.builder(pool, "account").build();

      for (long token = 33; token <= 34; token++) { // The first one also looks at the table.
        long mine = token;
        assertThatThrownBy(() -> account.claim(mine, 1).isUsable())
            .isExactlyInstanceOf(FencingException.class)
            .hasMessageContaining("read-only");
      }
      FencedResource ledger = JdbcFence.of(pool).attach(fence.raise("ledger", 33).toText());
      assertThatThrownBy(() -> ledger.update("UPDATE account SET fencing_token = 5"))
          .hasMessageContaining("read-only");
    }
    assertThat(sql.number("SELECT count(*) FROM account WHERE fencing_token IS NULL")).isEqualTo(1);
  }

  @Test
  void aLockThatIsInTheWayIsNoUnknownOutcomeWhereTheDriverIsLessPatientThanTheTable()
      throws SQLException {
    PGSimpleDataSource impatient = (PGSimpleDataSource) dataSource();
    impatient.setSocketTimeout(4);
    FencedTable account =
        checked(FencedTable.builder(impatient, "account").timeout(Duration.ofSeconds(30)));
    try (Connection blocker = dataSource.getConnection()) {
      blocker.setAutoCommit(false);
      FenceContract.setBalance(blocker, 7);

      assertThatThrownBy(() -> account.claim(33, 1).isUsable())
          .isInstanceOf(FenceBusyException.class)
          .hasMessageContaining("Nothing was written");
      blocker.rollback();
    }
    assertThat(fenceOfTheRow()).isEqualTo(1);
  }

  @Test
  void aSessionThatTheServerHasEndedForBeingIdleIsNoUnknownOutcome() throws SQLException {
    PGSimpleDataSource idle = (PGSimpleDataSource) dataSource();
    idle.setApplicationName("idle");
    try (Connection ended = idle.getConnection()) {
      FencedTable account = checked(new SingleConnectionDataSource(ended, true));
      FencedRow row = account.claim(33, 1);
      Sql.execute(ended, "SET idle_session_timeout = 1");
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  sql.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idle'")
                      == 0);

      assertThatThrownBy(() -> row.write(Map.of("balance", 5)))
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContaining("Nothing was written");
      assertThat(row.isUsable()).isTrue();
    }
    assertThat(balance()).isEqualTo(100);
  }
}
