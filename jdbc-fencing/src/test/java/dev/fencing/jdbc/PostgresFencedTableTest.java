package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresFencedTableTest extends FencedTableContract {

  static final PostgresServer SERVER = PostgresServer.shared();

  private static final Duration LONG = Duration.ofSeconds(30);

  @Override
  DataSource dataSource() {
    return SERVER.dataSource();
  }

  @Override
  String lockWaits() {
    return "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  }

  @Override
  String openTransactions() {
    return "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
  }

  @Override
  String lockTimeout() {
    return "SHOW lock_timeout";
  }

  @Test
  void aTriggerThatSwallowsAWriteIsNotTakenForAStaleToken() throws SQLException {
    swallow("BEFORE UPDATE", "RETURN NULL");
    FencedTable account = builder().build();
    try {
      assertThat(account.tryOverwrite(33, Map.of("balance", 5), 1L))
          .isEqualTo(UpdateOutcome.HIDDEN);
      assertThatThrownBy(() -> account.claim(33, 1L).isUsable())
          .isInstanceOf(FenceSchemaException.class)
          .hasMessageContainingAll("account[id=1]", "33", "trigger or a rule");
      assertThat(account.tryOverwrite(33, Map.of("balance", 5), 2L))
          .isEqualTo(UpdateOutcome.MISSING);
      sql.run(
          "ALTER TABLE account DISABLE TRIGGER swallow",
          "UPDATE account SET fencing_token = 34",
          "ALTER TABLE account ENABLE TRIGGER swallow");
      assertThat(account.tryOverwrite(33, Map.of("balance", 5), 1L)).isEqualTo(UpdateOutcome.STALE);
      assertThat(account.tryOverwrite(34, Map.of("balance", 5), 1L))
          .isEqualTo(UpdateOutcome.HIDDEN);
    } finally {
      sql.run("DROP TRIGGER swallow ON account", "DROP FUNCTION swallow()");
    }
  }

  @Test
  void aTriggerThatPutsTheFenceBackIsToldAndNothingIsKept() throws SQLException {
    swallow("BEFORE UPDATE", "NEW.fencing_token := OLD.fencing_token; RETURN NEW");
    try {
      assertThat(builder().build().tryOverwrite(33, Map.of("balance", 5), 1L))
          .isEqualTo(UpdateOutcome.HIDDEN);
      assertThat(balance()).isEqualTo(100);
    } finally {
      sql.run("DROP TRIGGER swallow ON account", "DROP FUNCTION swallow()");
    }
  }

  @Test
  void anInsertThatATriggerStoresElsewhereIsNotTakenForAStaleToken() throws SQLException {
    swallow("BEFORE INSERT", "INSERT INTO line VALUES (NEW.id); RETURN NULL");
    sql.run("CREATE TABLE line (id bigint)");
    try {
      assertThat(builder().build().tryUpsert(33, Map.of("balance", 5), 2L))
          .isEqualTo(UpdateOutcome.HIDDEN);
      assertThat(sql.number("SELECT count(*) FROM line")).isZero();
    } finally {
      sql.run("DROP TRIGGER swallow ON account", "DROP FUNCTION swallow()");
    }
  }

  private void swallow(String when, String body) throws SQLException {
    sql.run(
        "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            + body
            + "; END $$",
        "CREATE TRIGGER swallow " + when + " ON account FOR EACH ROW EXECUTE FUNCTION swallow()");
  }

  @Test
  void aDeleteThatATriggerSwallowsIsHidden() throws SQLException {
    swallow("BEFORE DELETE", "RETURN NULL");
    try {
      FencedTable account = builder().deletesForGood().build();
      assertThat(account.tryDelete(33, 1L)).isEqualTo(UpdateOutcome.HIDDEN);
      assertThat(account.claim(33, 1L).tryDelete()).isEqualTo(UpdateOutcome.HIDDEN);
    } finally {
      sql.run("DROP TRIGGER swallow ON account", "DROP FUNCTION swallow()");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBatchIsJudgedWhateverTheDriverDoesToBatches(boolean rewrite) throws SQLException {
    PGSimpleDataSource source = (PGSimpleDataSource) SERVER.dataSource();
    source.setReWriteBatchedInserts(rewrite);
    FencedTable account = FencedTable.builder(source, "account").build();
    account.upsert(40, Map.of("balance", 9), 2L);
    List<RowUpdate> rows =
        LongStream.rangeClosed(1, 4)
            .mapToObj(id -> RowUpdate.of(Map.of("balance", 1), id))
            .toList();

    assertThatThrownBy(() -> account.upsertAll(33, rows))
        .isInstanceOfSatisfying(
            RefusedBatchException.class,
            e ->
                assertThat(e.verdicts())
                    .extracting(RefusedBatchException.Verdict::outcome)
                    .containsExactly(
                        UpdateOutcome.APPLIED,
                        UpdateOutcome.STALE,
                        UpdateOutcome.APPLIED,
                        UpdateOutcome.APPLIED));
    assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(109);
    account.upsertAll(41, rows);
    assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"repeatable read", "serializable"})
  void ownTransactionsJudgeByCurrentValuesWhateverTheDefaultOfTheSession(String isolation)
      throws Exception {
    PGSimpleDataSource source = (PGSimpleDataSource) SERVER.dataSource();
    source.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
    FencedTable account = FencedTable.builder(source, "account").build();
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      Sql.execute(other, "UPDATE account SET balance = 7, fencing_token = 34 WHERE id = 1");
      CompletableFuture<UpdateOutcome> stale =
          Background.start(() -> account.tryOverwrite(33, Map.of("balance", 1), 1L));
      awaitLockWait();
      CompletableFuture<FencedRow> claim = Background.start(() -> account.claim(35, 1L));
      FenceContract.awaitLockWaits(sql, 2);
      other.commit();

      assertThat(stale.get(30, TimeUnit.SECONDS)).isEqualTo(UpdateOutcome.STALE);
      assertThat(claim.get(30, TimeUnit.SECONDS).getLong("balance")).isEqualTo(7);
    }
  }

  @Test
  void aTransactionOfTheCallersThatReadBeforeTheRowChangedCannotWriteIt() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
      FencedTable account = builder().build();
      account.overwrite(33, Map.of("balance", 7), 1L);

      assertThatThrownBy(() -> account.on(connection).overwrite(34, Map.of("balance", 1), 1L))
          .isInstanceOf(FenceBusyException.class)
          .hasMessageContainingAll("account[id=1]", "40001", "new transaction");
      connection.commit();
    }
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aRefusalInsideAFencedTransactionIsNeverCommitted() throws SQLException {
    JdbcFence fence = JdbcFence.of(dataSource);
    fence.createSchema();
    FencedTable account = builder().build();
    account.overwrite(34, Map.of("balance", 7), 1L);
    try {
      assertThatThrownBy(
              () ->
                  fence
                      .raise("ledger", 33)
                      .inTransaction(
                          c -> {
                            Sql.execute(c, "INSERT INTO account (id, balance) VALUES (2, 1)");
                            assertThatThrownBy(
                                    () -> account.on(c).overwrite(33, Map.of("balance", 1), 1L))
                                .isInstanceOf(StaleTokenException.class);
                            return 0;
                          }))
          .isExactlyInstanceOf(FencingException.class);
      assertThat(sql.number("SELECT count(*) FROM account")).isEqualTo(1);
    } finally {
      sql.run("DROP TABLE fence");
    }
  }

  @Test
  void aLostAnswerToACommitIsUnknownAndEndsTheHandle() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(SERVER.port())) {
      FencedTable account =
          FencedTable.builder(SERVER.dataSource(proxy.port()), "account")
              .claimColumn("claim_id")
              .build();
      FencedRow row = account.claim(33, 1L);
      Fault lost = proxy.dropReplyTo("COMMIT\0");

      assertThatThrownBy(() -> row.write(Map.of("balance", 5)))
          .isInstanceOf(UnknownOutcomeException.class)
          .hasMessageContainingAll("account[id=1]", "33", "claim the row again");
      lost.await(LONG);
      assertThat(row.isUsable()).isFalse();
      assertThatThrownBy(() -> row.tryWrite(Map.of("balance", 6)).isApplied())
          .isInstanceOf(UnknownOutcomeException.class);

      FencedRow again = account.claim(33, 1L);
      assertThat(again.getLong("balance")).isEqualTo(5);
      again.write(Map.of("balance", 6));
      assertThat(balance()).isEqualTo(6);
    }
  }

  @Test
  void aWriteThatIsInFlightIsRefusedWhenItLandsBehindANewClaim() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(SERVER.port())) {
      PGSimpleDataSource impatient = (PGSimpleDataSource) SERVER.dataSource(proxy.port());
      impatient.setSocketTimeout(1);
      impatient.setApplicationName("impatient");
      FencedTable table = FencedTable.builder(impatient, "account").claimColumn("claim_id").build();
      FencedRow row = table.claim(33, 1L);
      Fault inFlight = proxy.hold("COMMIT\0");
      assertThatThrownBy(() -> row.write(Map.of("balance", 5)))
          .isInstanceOf(UnknownOutcomeException.class);
      inFlight.await(LONG);

      FencedRow again = builder().claimColumn("claim_id").build().claim(33, 1L);
      assertThat(again.getLong("balance")).isEqualTo(100);
      inFlight.release();
      Awaitility.await()
          .atMost(LONG)
          .until(
              () ->
                  sql.number(
                          "SELECT count(*) FROM pg_stat_activity"
                              + " WHERE application_name = 'impatient'")
                      == 0);

      assertThat(balance()).as("the late write was refused").isEqualTo(100);
      again.write(Map.of("balance", 101));
      assertThat(balance()).isEqualTo(101);
    }
  }

  @Test
  void aRowThatComesInBetweenAWriteAndItsVerdictIsWritten() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(SERVER.port())) {
      FencedTable account = FencedTable.builder(SERVER.dataSource(proxy.port()), "account").build();
      account.overwrite(1, Map.of("balance", 1), 1L);
      Fault verdict = proxy.hold("FOR NO KEY UPDATE");
      CompletableFuture<UpdateOutcome> write =
          Background.start(() -> account.tryOverwrite(33, Map.of("balance", 5), 2L));
      verdict.await(LONG);
      builder().build().upsert(32, Map.of("balance", 2), 2L);
      verdict.release();

      assertThat(write.get(30, TimeUnit.SECONDS)).isEqualTo(UpdateOutcome.APPLIED);
      assertThat(sql.number("SELECT balance FROM account WHERE id = 2")).isEqualTo(5);
    }
  }

  @Test
  void aWriteAndAClaimAreOneRoundTripEach() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(SERVER.port());
        HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(SERVER.dataSource(proxy.port()));
      pool.setMaximumPoolSize(1);
      FencedTable account = FencedTable.builder(pool, "account").build();
      FencedRow row = account.claim(33, 1L);
      long before = proxy.requests();

      row.write(Map.of("balance", 1));
      assertThat(proxy.requests() - before).isEqualTo(1);
      account.overwrite(33, Map.of("balance", 2), 1L);
      assertThat(proxy.requests() - before).isEqualTo(2);
      account.upsert(33, Map.of("balance", 3), 1L);
      assertThat(proxy.requests() - before).isEqualTo(3);
      assertThat(account.claim(34, 1L).getLong("balance")).isEqualTo(3);
      assertThat(proxy.requests() - before).isEqualTo(4);
    }
  }

  @Test
  void aClaimIsDurableAndNoTransactionOfTheLibraryMayStandIdle() throws SQLException {
    PGSimpleDataSource source = (PGSimpleDataSource) SERVER.dataSource();
    source.setOptions("-c synchronous_commit=off -c default_transaction_isolation=serializable");
    FencedTable account = FencedTable.builder(source, "account").build();
    swallow(
        "BEFORE UPDATE",
        "NEW.note := current_setting('synchronous_commit') || ' '"
            + " || current_setting('idle_in_transaction_session_timeout') || ' '"
            + " || current_setting('transaction_isolation'); RETURN NEW");
    try {
      assertThat(account.claim(33, 1L).get("note")).isEqualTo("on 10s read committed");
      account.overwrite(33, Map.of("balance", 1), 1L);
      assertThat(sql.text("SELECT note FROM account")).isEqualTo("off 0 read committed");
      // From the second on, a claim is one round trip, in which nothing can stand idle.
      assertThat(account.claim(34, 1L).get("note")).isEqualTo("on 0 read committed");
    } finally {
      sql.run("DROP TRIGGER swallow ON account", "DROP FUNCTION swallow()");
    }
  }

  @Test
  void aValueThatTheDriverCannotReadIsNamedHoweverTheClaimTravels() throws SQLException {
    sql.run(
        "CREATE TABLE odd (id bigint PRIMARY KEY, fencing_token bigint, limits numeric[])",
        "INSERT INTO odd VALUES (1, 0, ARRAY['Infinity'::numeric]), (2, 0, NULL)");
    try {
      FencedTable odd = FencedTable.builder(SERVER.dataSource(), "odd").build();

      for (long token = 33; token <= 34; token++) { // The first one also looks at the table.
        long mine = token;
        assertThatThrownBy(() -> odd.claim(mine, 1L).isUsable())
            .isExactlyInstanceOf(FencingException.class)
            .hasMessageContainingAll("column limits", "odd[id=1]", "Infinity");
      }
      assertThat(odd.claim(33, 2L).get("limits")).isNull();
    } finally {
      sql.run("DROP TABLE odd");
    }
  }

  @Test
  void anUnreachableDatabaseIsACertainNonWrite() {
    FencedTable nowhere = FencedTable.builder(SERVER.dataSource(1), "account").build();

    assertThatThrownBy(() -> nowhere.overwrite(33, Map.of("balance", 1), 1L))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("account[id=1]", "Nothing was written");
  }
}
