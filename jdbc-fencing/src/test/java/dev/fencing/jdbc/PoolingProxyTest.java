package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PgBouncer;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Everything behind a PgBouncer, which gives each transaction another connection of the server.
 *
 * <p>What goes through it in the contracts is all that they do, the tests' own statements included.
 */
class PoolingProxyTest {

  @BeforeAll
  static void needsTheProxy() {
    assumeTrue(
        PgBouncer.shared().isPresent(), "PgBouncer is not installed (apt-get install pgbouncer)");
  }

  private static DataSource pooled(int serverConnections) {
    return PgBouncer.shared().orElseThrow().dataSource(serverConnections);
  }

  @Nested
  class GuardMode extends GuardModeContract {
    @Override
    DataSource dataSource() {
      return pooled(6);
    }
  }

  @Nested
  class AFencedDataSource extends FencedDataSourceContract {
    @Override
    DataSource dataSource() {
      return pooled(6);
    }
  }

  @Nested
  class ConnectionsThatChangeHands extends DatabaseTest {

    private static final int CONNECTIONS = 4; // Not those of the contracts, which set something.
    private static final int CLIENTS = 3 * CONNECTIONS;
    private static final int ROUNDS = 5;

    /** Proxy and driver set these for each client; the others differ from server to client. */
    private static final String SETTINGS =
        """
        SELECT coalesce(string_agg(name || '=' || setting, ', '), '') FROM pg_settings
        WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding',
          'DateStyle', 'TimeZone', 'standard_conforming_strings', 'extra_float_digits',
          'transaction_isolation', 'transaction_read_only', 'transaction_deferrable')""";

    private static final String LEFT_BEHIND =
        """
        SELECT concat(current_setting('fencing.passed', true),
          current_setting('fencing.lock_timeout', true), current_setting('fencing.until', true),
          (SELECT string_agg(locktype, ' ') FROM pg_locks
            WHERE pid = pg_backend_pid() AND locktype NOT IN ('relation', 'virtualxid')),
          (SELECT string_agg(name, ' ') FROM pg_prepared_statements),
          (SELECT string_agg(nspname, ' ') FROM pg_namespace WHERE oid = pg_my_temp_schema()))""";

    @Override
    DataSource dataSource() {
      return pooled(CONNECTIONS);
    }

    @BeforeEach
    void createTablesOfTheirOwn() throws SQLException {
      sql.run(
          PostgresEnforcement.ddl("fence"),
          "CREATE TABLE line (id bigint PRIMARY KEY, n bigint, fencing_token bigint)",
          "INSERT INTO line SELECT i, 0 FROM generate_series(1, " + CLIENTS + ") AS i",
          "INSERT INTO account SELECT i, 100 FROM generate_series(2, " + CLIENTS + ") AS i",
          "SELECT fence_guard_table('account', 'ledger')");
    }

    @AfterEach
    void dropThem() throws SQLException {
      sql.run(
          "DROP TABLE line, account, fence CASCADE",
          "DROP FUNCTION fence_refuse_write, fence_unguard_table CASCADE");
    }

    @Test
    void manyGuardedTransactionsLeaveEveryConnectionAsItWas() throws Exception {
      Set<Long> used = ConcurrentHashMap.newKeySet();
      FencedResource old = fence.raise("ledger", 33);
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setDataSource(dataSource);
        pool.setMaximumPoolSize(CLIENTS);
        JdbcFence clients = JdbcFence.of(pool);
        FencedResource ledger = clients.attach(old.toText());
        List<CompletableFuture<Set<Long>>> all =
            IntStream.rangeClosed(1, CLIENTS)
                .mapToObj(id -> Background.start(() -> everyKind(clients, pool, ledger, id)))
                .toList();
        for (CompletableFuture<Set<Long>> each : all) {
          Set<Long> ofOneClient = each.get(60, TimeUnit.SECONDS);
          assertThat(ofOneClient).hasSizeGreaterThan(1);
          used.addAll(ofOneClient);
        }
        fence.raise("ledger", 34);
        assertThatThrownBy(() -> ledger.inTransaction(c -> 0))
            .isInstanceOf(StaleTokenException.class);
      }

      assertThat(used).hasSize(CONNECTIONS);
      assertThat(sql.number("SELECT sum(balance - 100) FROM account"))
          .isEqualTo(4L * ROUNDS * CLIENTS);
      assertThat(sql.number("SELECT sum(n) FROM line")).isEqualTo(2L * ROUNDS * CLIENTS);
      assertThat(onEachConnection("SELECT pg_backend_pid()"))
          .containsExactlyInAnyOrderElementsOf(used.stream().map(String::valueOf).toList());
      assertThat(onEachConnection(SETTINGS)).containsOnly("");
      assertThat(onEachConnection(LEFT_BEHIND)).containsOnly("");
    }

    /** Returns what the client has met: the processes of the server's connections. */
    private Set<Long> everyKind(
        JdbcFence clients, DataSource pool, FencedResource ledger, int client) throws SQLException {
      String add = "UPDATE account SET balance = balance + 1 WHERE id = " + client;
      DataSource fenced = new FencedDataSource(clients, Unbound.REFUSE);
      FencedTable line = FencedTable.builder(pool, "line").build();
      Set<Long> met = ConcurrentHashMap.newKeySet();
      for (int round = 1; round <= ROUNDS; round++) {
        met.add(
            ledger.inTransaction(
                c -> {
                  Sql.execute(c, add);
                  return Sql.number(c, "SELECT pg_backend_pid()");
                }));
        ledger.update(add);
        ledger.call(
            hold -> {
              try (Connection connection = fenced.getConnection()) {
                Sql.execute(connection, add);
                connection.setAutoCommit(false);
                Sql.execute(connection, add);
                met.add(Sql.number(connection, "SELECT pg_backend_pid()"));
                connection.commit();
                connection.setReadOnly(true);
                Sql.number(connection, "SELECT count(*) FROM account");
                connection.rollback();
                connection.setReadOnly(false);
              }
              return 0;
            });
        FencedRow row = line.claim(round + 1, (long) client);
        row.write(Map.of("n", row.getLong("n") + 1));
        line.overwrite(round + 1, Map.of("n", 2L * round), (long) client);
        assertThat(line.tryOverwrite(round, Map.of("n", 0), (long) client))
            .isEqualTo(UpdateOutcome.STALE);
        clients.raise("own-" + client, round).inTransaction("op-" + round, c -> 0);
      }
      return met;
    }

    /** Holds them all at a time. */
    private List<String> onEachConnection(String query) throws SQLException {
      List<Connection> held = new ArrayList<>();
      List<String> answers = new ArrayList<>();
      try {
        for (int i = 0; i < CONNECTIONS; i++) {
          Connection connection = dataSource.getConnection();
          held.add(connection);
          connection.setAutoCommit(false);
          answers.add(Sql.text(connection, query));
        }
      } finally {
        for (Connection connection : held) {
          connection.rollback();
          connection.close();
        }
      }
      return answers;
    }

    @Test
    void theMarkOfACheckDoesNotPassTheNextClient() throws SQLException {
      FencedResource ledger = fence.raise("ledger", 33);
      for (int i = 0; i < CONNECTIONS; i++) {
        ledger.inTransaction(c -> FenceContract.addToBalance(c, 1));
      }

      for (int i = 0; i < 2 * CONNECTIONS; i++) {
        assertThatThrownBy(() -> sql.run("UPDATE account SET balance = 5"))
            .hasMessageContaining("resource \"ledger\" guards it");
      }
      assertThat(balance()).isEqualTo(100 + CONNECTIONS);
    }

    /** With them one client's COMMIT can be another's statement, and nobody is told that it was. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void aDriverThatPreparesStatementsUnderNamesIsRefused(int threshold) {
      PGSimpleDataSource naming = (PGSimpleDataSource) pooled(2);
      naming.setPrepareThreshold(threshold);

      assertThatThrownBy(() -> JdbcFence.of(naming).checkSchema())
          .isInstanceOf(FenceSchemaException.class)
          .hasMessageContainingAll("prepared under a name", "prepareThreshold=0");
    }

    @Test
    void whetherStatementsAreKeptIsFoundOut() throws SQLException {
      assertThat(keptAtTheDefaultThreshold(pooled(2))).isFalse();
      assertThat(keptAtTheDefaultThreshold(PostgresServer.shared().dataSource())).isTrue();
    }

    private static boolean keptAtTheDefaultThreshold(DataSource dataSource) throws SQLException {
      ((PGSimpleDataSource) dataSource).setPrepareThreshold(5);
      try (Connection one = dataSource.getConnection();
          Connection other = dataSource.getConnection()) {
        one.setAutoCommit(false);
        other.setAutoCommit(false);
        return PostgresStatements.areKept(one, other);
      }
    }

    @Test
    void aProxyWithOneConnectionIsToldFromOneThatKeepsNoLocks() {
      JdbcFence alone =
          JdbcFence.builder(pooled(1))
              .raiseTimeout(Duration.ofMillis(100))
              .idleInTransactionTimeout(Duration.ofSeconds(1))
              .build();

      assertThatThrownBy(alone::checkSchema)
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContaining("must have at least 2");
    }

    @Test
    void aProxyThatPoolsStatementsIsOfNoUseAndSaysSo() {
      JdbcFence scattered =
          JdbcFence.builder(PgBouncer.shared().orElseThrow().withoutTransactions())
              .raiseTimeout(Duration.ofMillis(100))
              .build();

      assertThatThrownBy(scattered::checkSchema)
          .isInstanceOf(FencingException.class)
          .hasMessageContaining("transaction blocks not allowed in statement pooling mode");
    }

    @Test
    void aRaiseWaitsForACheckAndNamesTheSessionOfTheServerThatIsInTheWay() throws SQLException {
      FencedResource old = fence.raise("ledger", 33);
      JdbcFence impatient =
          JdbcFence.builder(dataSource).raiseTimeout(Duration.ofMillis(300)).build();
      try (Connection blocker = dataSource.getConnection()) {
        blocker.setAutoCommit(false);
        old.check(blocker);

        assertThatThrownBy(() -> impatient.raise("ledger", 34))
            .isInstanceOf(FenceBusyException.class)
            .hasMessageContaining(Sql.text(blocker, sql.server().session));
        assertThat(FenceContract.setBalance(blocker, 5)).isEqualTo(1);
        blocker.commit();
      }
      impatient.raise("ledger", 34);
      assertThatThrownBy(() -> old.inTransaction(c -> FenceContract.setBalance(c, 6)))
          .isInstanceOf(StaleTokenException.class);
      assertThat(balance()).isEqualTo(5);
    }

    @Test
    void aFrozenHoldersTransactionIsEndedByTheServer() throws SQLException {
      FencedResource old =
          JdbcFence.builder(dataSource)
              .idleInTransactionTimeout(Duration.ofSeconds(1))
              .build()
              .raise("ledger", 33);
      try (Connection frozen = dataSource.getConnection()) {
        frozen.setAutoCommit(false);
        old.check(frozen);
        FenceContract.setBalance(frozen, 5);

        fence.raise("ledger", 34);

        assertThatThrownBy(frozen::commit).isInstanceOf(SQLException.class);
      }
      assertThat(balance()).isEqualTo(100);
    }
  }
}
