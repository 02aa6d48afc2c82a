package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.TcpProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** What the fence sets, needs and survives on PostgreSQL in particular. */
class PostgresDialectTest extends PostgresTest {

  @Test
  void nothingThatIsSetForACheckOutlastsIt() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = dataSource.getConnection()) {
      Sql.execute(connection, "SET lock_timeout = '7s'");
      connection.setAutoCommit(false);
      ledger.check(connection);
      assertThat(Sql.text(connection, "SHOW lock_timeout")).isEqualTo("7s");
      assertThat(Sql.text(connection, "SHOW idle_in_transaction_session_timeout")).isEqualTo("10s");
      connection.commit();
      assertThat(Sql.text(connection, "SHOW lock_timeout")).isEqualTo("7s");
      assertThat(Sql.text(connection, "SHOW idle_in_transaction_session_timeout")).isEqualTo("0");
      connection.commit();
    }
  }

  @Test
  void aTighterIdleLimitOfTheSessionIsKept() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = dataSource.getConnection()) {
      Sql.execute(connection, "SET idle_in_transaction_session_timeout = '3s'");
      connection.setAutoCommit(false);
      ledger.check(connection);
      assertThat(Sql.text(connection, "SHOW idle_in_transaction_session_timeout")).isEqualTo("3s");
      Sql.execute(connection, "SET idle_in_transaction_session_timeout = '1min'");
      connection.commit();
      ledger.check(connection);
      assertThat(Sql.text(connection, "SHOW idle_in_transaction_session_timeout")).isEqualTo("10s");
      connection.rollback();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "local", "remote_write", "on", "remote_apply"})
  void aRaiseIsDurableAtReadCommittedWhateverTheSessionHas(String configured) throws SQLException {
    sql.run(
        "CREATE TABLE journal (durable text, isolation text)",
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO journal"
            + " VALUES (current_setting('synchronous_commit'),"
            + " current_setting('transaction_isolation')); RETURN NEW; END $$",
        "CREATE TRIGGER note BEFORE INSERT ON fence FOR EACH ROW EXECUTE FUNCTION note()");
    PGSimpleDataSource lax = (PGSimpleDataSource) SERVER.dataSource();
    lax.setOptions(
        "-c synchronous_commit=" + configured + " -c default_transaction_isolation=serializable");

    JdbcFence.of(lax).raise("ledger", 33);

    assertThat(sql.text("SELECT durable FROM journal"))
        .isEqualTo(configured.equals("remote_apply") ? "remote_apply" : "on");
    assertThat(sql.text("SELECT isolation FROM journal")).isEqualTo("read committed");
    sql.run("DROP TRIGGER note ON fence", "DROP FUNCTION note()");
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
  void aCheckQueuedBehindARaiseIsStaleOnEveryIsolationLevel(String isolation) throws Exception {
    PGSimpleDataSource isolated = (PGSimpleDataSource) SERVER.dataSource();
    isolated.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
    FencedResource old = JdbcFence.of(isolated).raise("ledger", 33);
    try (Connection inTheWay = dataSource.getConnection()) {
      inTheWay.setAutoCommit(false);
      old.check(inTheWay);
      CompletableFuture<FencedResource> raise = Background.start(() -> fence.raise("ledger", 34));
      FenceContract.awaitLockWaits(sql, 1);

      // The snapshot of this transaction is as old as its wait, which the raise ends.
      CompletableFuture<Integer> write = writeLater(old);
      FenceContract.awaitLockWaits(sql, 2);
      inTheWay.commit();

      assertThat(raise.get(30, TimeUnit.SECONDS).token()).isEqualTo(34);
      assertThatThrownBy(() -> write.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StaleTokenException.class);
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aRoleWithSelectInsertAndUpdateOnTheGuardTableIsEnough() throws SQLException {
    sql.run(
        "CREATE ROLE app LOGIN",
        "GRANT SELECT, INSERT, UPDATE ON fence TO app",
        "GRANT SELECT, UPDATE ON account TO app");
    try {
      PGSimpleDataSource asApp = (PGSimpleDataSource) SERVER.dataSource();
      asApp.setUser("app");
      JdbcFence app = JdbcFence.builder(asApp).raiseTimeout(Duration.ofSeconds(2)).build();

      FencedResource ledger = app.raise("ledger", 33);
      ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
      try (Connection blocker = dataSource.getConnection()) {
        blocker.setAutoCommit(false);
        ledger.check(blocker);
        assertThatThrownBy(() -> app.raise("ledger", 34))
            .isInstanceOf(FenceBusyException.class)
            .hasMessageContaining("pid ");
        blocker.rollback();
      }
      assertThat(balance()).isEqualTo(5);
    } finally {
      sql.run("DROP OWNED BY app", "DROP ROLE app");
    }
  }

  @Test
  void aReadOnlyConnectionIsAClearError() {
    fence.raise("ledger", 33);
    PGSimpleDataSource readOnly = (PGSimpleDataSource) SERVER.dataSource();
    readOnly.setOptions("-c default_transaction_read_only=on");

    assertThatThrownBy(() -> JdbcFence.of(readOnly).raise("ledger", 34))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("read-only transaction", "25006", "Nothing was written");
  }

  @Test
  void aPooledConnectionComesBackAsItWas() throws SQLException {
    HikariConfig config = poolOf(1);
    config.setConnectionTimeout(2_000);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcFence pooled = JdbcFence.of(pool);
      FencedResource old = pooled.raise("ledger", 33);
      old.inTransaction(c -> FenceContract.setBalance(c, 5));
      assertThatThrownBy(
              () ->
                  old.inTransaction(
                      c -> {
                        throw new SQLException("work fails");
                      }))
          .hasMessage("work fails");
      fence.raise("ledger", 34);
      assertThatThrownBy(() -> old.inTransaction(c -> 0)).isInstanceOf(StaleTokenException.class);

      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(connection.getNetworkTimeout()).isZero();
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  void aPoolWithoutAutocommitWhoseTestQueryOpensATransactionIsFine() throws SQLException {
    PGSimpleDataSource isolated = (PGSimpleDataSource) SERVER.dataSource();
    isolated.setOptions("-c default_transaction_isolation=repeatable\\ read");
    HikariConfig config = poolOf(2);
    config.setDataSource(isolated);
    config.setAutoCommit(false);
    config.setConnectionTestQuery("SELECT 1");
    try (HikariDataSource pool = new HikariDataSource(config)) {
      FencedResource ledger = JdbcFence.of(pool).raise("ledger", 33);
      ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
    }
    assertThat(balance()).isEqualTo(5);
  }

  /** The driver rolls a failed statement back to a savepoint of its own, a refusal too. */
  @ParameterizedTest
  @ValueSource(strings = {"never", "conservative", "always"})
  void aSwallowedRefusalCannotBeCommittedWhateverTheDriverSaves(String autosave)
      throws SQLException {
    PGSimpleDataSource saving = (PGSimpleDataSource) SERVER.dataSource();
    saving.setAutosave(AutoSave.of(autosave));
    FencedResource old = JdbcFence.of(saving).raise("ledger", 33);
    FencedResource other = JdbcFence.of(saving).raise("stock", 33);
    fence.raise("ledger", 34);

    assertThatThrownBy(
            () ->
                other.inTransaction(
                    c -> {
                      assertThatThrownBy(() -> old.check(c))
                          .isInstanceOf(StaleTokenException.class);
                      return FenceContract.setBalance(c, 5);
                    }))
        .isInstanceOfAny(FencingException.class, SQLException.class);
    assertThat(balance()).isEqualTo(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"never", "conservative", "always"})
  void aSwallowedStaleCheckCannotBeCommittedWhateverTheDriverSaves(String autosave)
      throws SQLException {
    PGSimpleDataSource saving = (PGSimpleDataSource) SERVER.dataSource();
    saving.setAutosave(AutoSave.of(autosave));
    FencedResource old = JdbcFence.of(saving).raise("ledger", 33);
    fence.raise("ledger", 34);
    try (Connection connection = saving.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> old.check(connection)).isInstanceOf(StaleTokenException.class);

      assertThatThrownBy(() -> FenceContract.setBalance(connection, 5))
          .isInstanceOf(SQLException.class);
      commitIfOpen(connection);
    }
    assertThat(balance()).isEqualTo(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"never", "conservative", "always"})
  void aSwallowedBusyCheckCannotBeCommittedWhateverTheDriverSaves(String autosave)
      throws SQLException {
    PGSimpleDataSource saving = (PGSimpleDataSource) SERVER.dataSource();
    saving.setAutosave(AutoSave.of(autosave));
    FencedResource ledger =
        JdbcFence.builder(saving).checkTimeout(Duration.ofMillis(100)).build().raise("ledger", 33);
    try (Connection blocker = dataSource.getConnection();
        Connection connection = saving.getConnection()) {
      blocker.setAutoCommit(false);
      Sql.execute(blocker, "SELECT * FROM fence FOR UPDATE");
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> ledger.check(connection)).isInstanceOf(FenceBusyException.class);
      blocker.rollback();

      assertThatThrownBy(() -> FenceContract.setBalance(connection, 5))
          .isInstanceOf(SQLException.class);
      commitIfOpen(connection);
    }
    assertThat(balance()).isEqualTo(100);
  }

  private static void commitIfOpen(Connection connection) throws SQLException {
    if (!connection.isClosed()) {
      connection.commit();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"57014", "53100", "58000", "XX000", "40003"})
  void anErrorThatTheServerAnswersToCommitIsAKnownRollback(String state) throws SQLException {
    sql.run(
        "CREATE TABLE journal (id int)",
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION"
            + " USING ERRCODE = '"
            + state
            + "', MESSAGE = 'deferred'; END $$",
        "CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION fail()");
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () -> ledger.inTransaction(c -> Sql.execute(c, "INSERT INTO journal VALUES (1)")))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("refused to commit", state);

    assertThat(ledger.isUsable()).isTrue();
    assertThat(sql.number("SELECT count(*) FROM journal")).isZero();
    sql.run("DROP TABLE journal", "DROP FUNCTION fail()");
  }

  @Test
  void anOperationThatIsForgottenWhileItIsLookedUpIsAppliedAndRecorded() throws Exception {
    fence.raise("ledger", 33).inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5));
    try (TcpProxy proxy = TcpProxy.to(SERVER.port())) {
      FencedResource ledger = JdbcFence.of(SERVER.dataSource(proxy.port())).raise("ledger", 40);
      Fault lookup = proxy.hold("SELECT generation, token FROM fence_operation");
      CompletableFuture<OperationOutcome<Integer>> repeated =
          Background.start(
              () -> ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5)));
      lookup.await(Duration.ofSeconds(30));
      assertThat(fence.forgetOperations("ledger", 0)).isEqualTo(1);
      lookup.release();

      assertThat(repeated.get(30, TimeUnit.SECONDS)).isEqualTo(new OperationOutcome.Applied<>(1));
      assertThat(sql.number("SELECT token FROM fence_operation")).isEqualTo(40);
    }
    assertThat(balance()).isEqualTo(110);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE fence ALTER resource TYPE varchar(20)",
        "ALTER TABLE fence ALTER origin TYPE varchar(1023)",
        "ALTER TABLE fence_operation ALTER operation_id TYPE varchar(254)"
      })
  void aColumnThatIsTooShortIsRefused(String damage) throws SQLException {
    sql.run(damage);

    assertThatThrownBy(() -> JdbcFence.of(dataSource).raise("ledger", 33))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("characters and must hold");
  }

  @Test
  void aColumnWithoutALimitIsLongEnough() throws SQLException {
    sql.run("ALTER TABLE fence ALTER resource TYPE varchar, ALTER origin TYPE varchar");

    assertThat(JdbcFence.of(dataSource).raise("ledger", 33).isUsable()).isTrue();
  }

  @Test
  void aRaiseIsTwoRoundTripsAndACheckIsOne() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(SERVER.port())) {
      HikariConfig config = poolOf(1);
      config.setDataSource(SERVER.dataSource(proxy.port()));
      try (HikariDataSource pool = new HikariDataSource(config)) {
        JdbcFence pooled = JdbcFence.of(pool);
        pooled.raise("ledger", 33);
        long before = proxy.requests();
        FencedResource ledger = pooled.raise("ledger", 34);
        long raised = proxy.requests();
        ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
        long fenced = proxy.requests();
        try (Connection plain = pool.getConnection()) {
          plain.setAutoCommit(false);
          FenceContract.setBalance(plain, 6);
          plain.commit();
        }
        long unfenced = proxy.requests();

        assertThat(raised - before).as("the raise and its COMMIT").isEqualTo(2);
        assertThat(unfenced - fenced).as("the statement and its COMMIT").isEqualTo(2);
        assertThat(fenced - raised).as("the check, the statement and its COMMIT").isEqualTo(3);
      }
    }
  }

  @Test
  void aPoolThatGivesNoConnectionIsAKnownNonWrite() throws SQLException {
    HikariConfig config = poolOf(1);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      FencedResource ledger = JdbcFence.of(pool).raise("ledger", 33);
      try (Connection hog = pool.getConnection()) {
        assertThatThrownBy(() -> ledger.inTransaction(c -> 0))
            .isExactlyInstanceOf(FencingException.class)
            .hasMessageContainingAll("no connection", "Nothing was written");
        assertThat(hog.isClosed()).isFalse();
      }
      assertThat(ledger.isUsable()).isTrue();
      ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aClosedPoolIsAKnownNonWrite() {
    HikariDataSource pool;
    FencedResource ledger;
    try (HikariDataSource open = new HikariDataSource(poolOf(1))) {
      pool = open;
      ledger = JdbcFence.of(pool).raise("ledger", 33);
    }

    assertThatThrownBy(() -> ledger.inTransaction(c -> 0))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContaining("no connection");
    assertThatThrownBy(() -> JdbcFence.of(pool).raise("ledger", 34))
        .isExactlyInstanceOf(FencingException.class);
  }

  private static CompletableFuture<Integer> writeLater(FencedResource resource) {
    return Background.start(() -> resource.inTransaction(c -> FenceContract.setBalance(c, 5)));
  }

  private HikariConfig poolOf(int connections) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(connections);
    return config;
  }
}
