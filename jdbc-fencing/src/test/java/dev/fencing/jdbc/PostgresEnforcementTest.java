package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** The table account is declared to be guarded by resource ledger, which is at token 33. */
class PostgresEnforcementTest extends PostgresTest {

  private static final String WRITE = "UPDATE account SET balance = 5 WHERE id = 1";

  private FencedResource ledger;

  @BeforeEach
  void declare() throws SQLException {
    sql.run(PostgresEnforcement.ddl("fence"), "SELECT fence_guard_table('account', 'ledger')");
    ledger = fence.raise("ledger", 33);
  }

  @AfterEach
  void dropWhatWasDeclared() throws SQLException {
    sql.run(
        "DROP TABLE IF EXISTS account, fence, measure CASCADE",
        "DROP SCHEMA IF EXISTS app, \"Odd \"\"one\" CASCADE",
        "DROP FUNCTION fence_refuse_write, fence_unguard_table CASCADE");
    assertThat(sql.number("SELECT count(*) FROM pg_proc WHERE proname LIKE '%fence%'")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WRITE,
        "INSERT INTO account VALUES (2, 5)",
        "INSERT INTO account VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET balance = 5",
        "DELETE FROM account",
        "TRUNCATE account",
        "MERGE INTO account USING (VALUES (1)) AS v(i) ON id = i WHEN MATCHED THEN UPDATE SET balance = 5",
        "MERGE INTO account USING (VALUES (2)) AS v(i) ON id = i WHEN NOT MATCHED THEN INSERT VALUES (i, 5)",
        "WITH w AS (UPDATE account SET balance = 5 RETURNING id) SELECT * FROM w",
        "DO $$ BEGIN UPDATE account SET balance = 5; END $$"
      })
  void aWriteIsRefusedWithoutACheckAndPassesWithOne(String write) throws SQLException {
    assertRefused(() -> sql.run(write));
    assertThat(sql.text("SELECT string_agg(id || ' ' || balance, ', ') FROM account"))
        .isEqualTo("1 100");

    ledger.inTransaction(c -> Sql.execute(c, write));

    assertThat(sql.number("SELECT count(*) FROM account WHERE (id, balance) = (1, 100)"))
        .isEqualTo(write.contains("(2") ? 1 : 0);
  }

  @Test
  void aRefusalSaysWhatWhyAndWhatToDo() {
    assertThatThrownBy(() -> sql.run(WRITE))
        .hasMessageContainingAll(
            "UPDATE on table public.account refused",
            "resource \"ledger\" guards it",
            "It has passed no check",
            "FencedResource.inTransaction",
            "BEGIN; SELECT fence_pass('ledger', token)");
  }

  @Test
  void aCopyIsRefusedWithoutACheckAndPassesWithOne() throws SQLException, IOException {
    try (Connection connection = dataSource.getConnection()) {
      assertRefused(() -> copy(connection));

      connection.setAutoCommit(false);
      ledger.check(connection);
      assertThat(copy(connection)).isEqualTo(2);
      connection.commit();
    }
    assertThat(sql.number("SELECT count(*) FROM account")).isEqualTo(3);
  }

  @Test
  void aReadNeedsNoCheck() throws SQLException {
    assertThat(balance()).isEqualTo(100);
    assertThat(sql.number("SELECT balance FROM account FOR UPDATE")).isEqualTo(100);
  }

  @Test
  void aRefusedWriteInUserWorkComesThroughAsItIs() throws SQLException {
    sql.run("SELECT fence_guard_table('account', 'stock')");

    assertRefused(() -> ledger.inTransaction(c -> Sql.execute(c, WRITE)));

    assertThat(ledger.isUsable()).isTrue();
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aCheckCountsForItsOwnTransactionOnly() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      ledger.check(connection);
      connection.commit();

      assertRefused(() -> Sql.execute(connection, WRITE));
      connection.rollback();
    }
  }

  @Test
  void aMarkThatLeakedIntoTheSessionDoesNotPass() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      ledger.check(connection);
      Sql.text(
          connection,
          "SELECT set_config('fencing.passed', current_setting('fencing.passed'), false)");
      connection.commit();
      assertThat(Sql.text(connection, "SHOW fencing.passed")).contains("'ledger'");

      assertThatThrownBy(() -> Sql.execute(connection, WRITE))
          .hasMessageContaining("in an earlier transaction of this session");
      connection.rollback();

      ledger.check(connection);
      Sql.execute(connection, WRITE);
      connection.commit();
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aRollbackToASavepointBeforeTheCheckTakesItBack() throws SQLException {
    FencedResource stock = fence.raise("stock", 1);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      stock.check(connection);
      Savepoint before = connection.setSavepoint();
      ledger.check(connection);
      connection.rollback(before);

      assertThatThrownBy(() -> Sql.execute(connection, WRITE))
          .hasMessageContaining("It has passed the check of 'stock' only");
      connection.rollback();
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aSavepointAfterTheCheckChangesNothing() throws SQLException {
    ledger.inTransaction(
        c -> {
          Savepoint after = c.setSavepoint();
          Sql.execute(c, "INSERT INTO account VALUES (2, 5)");
          c.rollback(after);
          return Sql.execute(c, WRITE);
        });

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aCheckThatIsRefusedLeavesNoMark() throws SQLException {
    Dialect dialect = new PostgresDialect("fence", Duration.ofSeconds(10));
    FenceRow raised = ledger.raised();
    FenceRow[] others = {
      new FenceRow(raised.generation() + 1, raised.token(), raised.raiseId(), null, null),
      new FenceRow(raised.generation(), raised.token() - 1, raised.raiseId(), null, null),
      new FenceRow(raised.generation(), raised.token() + 1, raised.raiseId(), null, null),
      new FenceRow(raised.generation(), raised.token(), raised.raiseId() + 1, null, null)
    };
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      for (FenceRow other : others) {
        assertThat(dialect.check(connection, "ledger", other, Duration.ofSeconds(5)))
            .satisfies(found -> assertThat(found.sameRaise(raised)).isTrue());
        assertRefused(() -> Sql.execute(connection, WRITE));
        connection.rollback();
      }
      dialect.check(connection, "ledger", raised, Duration.ofSeconds(5));
      Sql.execute(connection, WRITE);
      connection.commit();
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void severalResourcesCountInOneTransaction() throws SQLException {
    sql.run(
        "CREATE TABLE measure (id int PRIMARY KEY)",
        "SELECT fence_guard_table('measure', 'stock')");
    FencedResource stock = fence.raise("stock", 1);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      ledger.check(connection);
      stock.check(connection);
      ledger.check(connection);
      assertThat(Sql.text(connection, "SHOW fencing.passed"))
          .as("a check that is repeated is noted once")
          .containsOnlyOnce("'ledger'")
          .containsOnlyOnce("'stock'");
      Sql.execute(connection, "INSERT INTO measure VALUES (1)");
      Sql.execute(connection, WRITE);
      connection.commit();
    }
    assertThat(balance()).isEqualTo(5);
    assertRefused(() -> stock.inTransaction(c -> Sql.execute(c, WRITE)));
  }

  @Test
  void aResourceDoesNotPassForAnotherWhoseNameItBeginsWith() throws SQLException {
    sql.run("SELECT fence_guard_table('account', 'ledger')");
    for (String longer : new String[] {"ledger's", "ledger'", "ledgers", "'ledger'"}) {
      FencedResource other = fence.raise(longer, 1);
      assertRefused(() -> other.inTransaction(c -> Sql.execute(c, WRITE)));
    }
  }

  @Test
  void aGuardedStatementThatTravelsWithItsCheckPasses() throws SQLException {
    assertThat(ledger.update(WRITE)).isEqualTo(1);
    assertThat(balance()).isEqualTo(5);

    FencedResource stock = fence.raise("stock", 1);
    assertRefused(() -> stock.update("UPDATE account SET balance = 6"));
    fence.raise("ledger", 34);
    assertThatThrownBy(() -> ledger.update("UPDATE account SET balance = 6"))
        .isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aFencedDataSourcePassesWhileAHoldIsBoundAndOnlyThen() throws SQLException {
    Sql fenced = new Sql(new FencedDataSource(fence, FencedDataSource.Unbound.PASS));
    assertRefused(() -> fenced.run(WRITE));

    ledger.call(
        handle -> {
          fenced.run(WRITE);
          return 0;
        });

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void everyPartitionIsGuardedThoseThatComeLaterToo() throws SQLException {
    sql.run(
        "CREATE TABLE measure (id int, half int) PARTITION BY RANGE (id)",
        "CREATE SCHEMA app",
        "CREATE TABLE app.first PARTITION OF measure FOR VALUES FROM (0) TO (10)",
        "SELECT fence_guard_table('measure', 'ledger')",
        "CREATE TABLE app.created PARTITION OF measure FOR VALUES FROM (10) TO (20) PARTITION BY LIST (half)",
        "CREATE TABLE app.leaf PARTITION OF app.created DEFAULT",
        "CREATE TABLE app.attached (id int, half int)",
        "INSERT INTO app.attached VALUES (21, 1)",
        "ALTER TABLE measure ATTACH PARTITION app.attached FOR VALUES FROM (20) TO (30)");

    for (int id : new int[] {1, 11, 22}) {
      assertRefused(() -> sql.run("INSERT INTO measure VALUES (%d, 1)".formatted(id)));
      ledger.inTransaction(c -> Sql.execute(c, "INSERT INTO measure VALUES (%d, 1)".formatted(id)));
      assertRefused(() -> sql.run("UPDATE measure SET half = 2 WHERE id = " + id));
      assertRefused(() -> sql.run("UPDATE measure SET id = 29 - id WHERE id = " + id));
      assertRefused(() -> sql.run("DELETE FROM measure WHERE id = " + id));
    }
    for (String partition : new String[] {"first", "created", "leaf", "attached"}) {
      assertThatThrownBy(() -> sql.run("DELETE FROM app." + partition))
          .hasMessageContaining("resource \"ledger\" guards it");
      assertThatThrownBy(() -> sql.run("UPDATE app.%s SET half = 3".formatted(partition)))
          .hasMessageContaining("resource \"ledger\" guards it");
    }
    assertRefused(() -> sql.run("INSERT INTO app.first VALUES (2, 1)"));
    assertRefused(() -> sql.run("INSERT INTO app.leaf VALUES (12, 1)"));
    assertThat(sql.number("SELECT count(*) FROM measure WHERE half = 1")).isEqualTo(4);
    ledger.inTransaction(c -> Sql.execute(c, "UPDATE measure SET id = 29 - id"));

    sql.run("SELECT fence_unguard_table('measure')");
    sql.run("DELETE FROM measure", "TRUNCATE measure", "TRUNCATE app.first");
    assertThat(triggers()).as("of the table account").isEqualTo(2);
  }

  @Test
  void truncatingAPartitionThatCameLaterIsGuardedOnceTheParentIsDeclaredAgain()
      throws SQLException {
    sql.run(
        "CREATE SCHEMA app",
        "CREATE TABLE measure (id int) PARTITION BY RANGE (id)",
        "CREATE TABLE app.first PARTITION OF measure FOR VALUES FROM (0) TO (10)",
        "SELECT fence_guard_table('measure', 'ledger')",
        "CREATE TABLE app.later PARTITION OF measure FOR VALUES FROM (10) TO (20)");
    assertRefused(() -> sql.run("TRUNCATE measure"));
    assertRefused(() -> sql.run("TRUNCATE app.first"));
    sql.run("TRUNCATE app.later");

    sql.run("SELECT fence_guard_table('measure', 'ledger')");

    assertRefused(() -> sql.run("TRUNCATE app.later"));
    ledger.inTransaction(c -> Sql.execute(c, "TRUNCATE app.later"));
    ledger.inTransaction(c -> Sql.execute(c, "TRUNCATE measure"));
  }

  @Test
  void aPartitionAndItsParentAreNotDeclaredBoth() throws SQLException {
    sql.run(
        "CREATE SCHEMA app",
        "CREATE TABLE measure (id int) PARTITION BY RANGE (id)",
        "CREATE TABLE app.first PARTITION OF measure FOR VALUES FROM (0) TO (10)",
        "SELECT fence_guard_table('app.first', 'stock')");

    assertThatThrownBy(() -> sql.run("SELECT fence_guard_table('measure', 'ledger')"))
        .hasMessageContainingAll("public.measure cannot be declared beside app.first", "Take that");
    sql.run(
        "SELECT fence_unguard_table('app.first')", "SELECT fence_guard_table('measure', 'ledger')");
    assertThatThrownBy(() -> sql.run("SELECT fence_guard_table('app.first', 'stock')"))
        .hasMessageContaining("app.first cannot be declared beside public.measure");
    assertThatThrownBy(() -> sql.run("INSERT INTO measure VALUES (1)"))
        .hasMessageContaining("resource \"ledger\" guards it");
  }

  @Test
  void aWriteThroughAViewOrByACascadeIsGuarded() throws SQLException {
    sql.run(
        "CREATE SCHEMA app",
        "CREATE VIEW app.rich AS SELECT * FROM account WHERE balance > 10",
        "CREATE TABLE measure (id int PRIMARY KEY REFERENCES account ON DELETE CASCADE ON UPDATE CASCADE)",
        "INSERT INTO measure VALUES (1)",
        "SELECT fence_guard_table('measure', 'stock')");
    FencedResource stock = fence.raise("stock", 1);

    assertRefused(() -> sql.run("UPDATE app.rich SET balance = 11"));
    for (String write :
        new String[] {
          "DELETE FROM account", "UPDATE account SET id = 2", "TRUNCATE account CASCADE"
        }) {
      assertThatThrownBy(() -> ledger.inTransaction(c -> Sql.execute(c, write)))
          .hasMessageContainingAll("on table public.measure", "'ledger' only");
    }
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      ledger.check(connection);
      stock.check(connection);
      Sql.execute(connection, "DELETE FROM account");
      connection.commit();
    }
    assertThat(sql.number("SELECT count(*) FROM measure")).isZero();
  }

  @Test
  void declaringAgainChangesTheResourceAndUndeclaringRemovesIt() throws SQLException {
    FencedResource stock = fence.raise("stock", 1);
    sql.run(PostgresEnforcement.ddl("fence"), "SELECT fence_guard_table('account', 'ledger')");
    assertThat(triggers()).isEqualTo(2);

    sql.run("SELECT fence_guard_table('account', 'stock')");
    assertRefused(() -> ledger.inTransaction(c -> Sql.execute(c, WRITE)));
    assertRefused(() -> ledger.inTransaction(c -> Sql.execute(c, "TRUNCATE account")));
    stock.inTransaction(c -> Sql.execute(c, WRITE));

    sql.run("SELECT fence_unguard_table('account')", "SELECT fence_unguard_table('account')");
    sql.run("UPDATE account SET balance = 6", "TRUNCATE account");
    assertThat(triggers()).isZero();
  }

  @Test
  void whatCannotBeGuardedIsAClearError() throws SQLException {
    sql.run("CREATE SCHEMA app", "CREATE VIEW app.rich AS SELECT * FROM account");

    assertThatThrownBy(() -> sql.run("SELECT fence_guard_table('app.rich', 'ledger')"))
        .hasMessageContaining("app.rich is not a table: declare the tables beneath it");
    assertThatThrownBy(() -> sql.run("SELECT fence_guard_table('fence', 'ledger')"))
        .hasMessageContaining("public.fence is the guard table");
    for (String resource : new String[] {"''", "NULL", "repeat('x', 256)"}) {
      assertThatThrownBy(() -> sql.run("SELECT fence_guard_table('account', " + resource + ")"))
          .hasMessageContaining("1 to 255 characters");
    }
    assertThatThrownBy(() -> sql.run("DROP TABLE fence"))
        .hasMessageContaining("depends on table fence");
  }

  @Test
  void namesOfEveryKindAreGuardedWhateverTheSearchPath() throws SQLException {
    String resource = "O'Neil\\ \"ledger\"] $$ [1:2:'ledger'] %s 💰\n";
    FencedResource odd = fence.raise(resource, 7);
    String table = "\"Odd \"\"one\".\"Tab'le %s\"";
    sql.run(
        "CREATE SCHEMA \"Odd \"\"one\"",
        "CREATE TABLE %s (id int)".formatted(table),
        "CREATE TABLE \"Odd \"\"one\".fence (resource text, token bigint)",
        "CREATE FUNCTION \"Odd \"\"one\".strpos(text, text) RETURNS int LANGUAGE sql AS 'SELECT 1'");
    PGSimpleDataSource elsewhere = (PGSimpleDataSource) SERVER.dataSource();
    elsewhere.setCurrentSchema("\"Odd \"\"one\",pg_catalog");
    Sql there = new Sql(elsewhere);
    String literal = sql.text("SELECT quote_literal('" + resource.replace("'", "''") + "')");

    there.run("SELECT public.fence_guard_table('\"Tab''le %%s\"', %s)".formatted(literal));

    String write = "INSERT INTO %s VALUES (1)".formatted(table);
    assertThatThrownBy(() -> there.run(write)).hasMessageContainingAll(table, resource);
    assertThatThrownBy(() -> ledger.inTransaction(c -> Sql.execute(c, write)))
        .hasMessageContaining("'ledger' only");
    odd.inTransaction(c -> Sql.execute(c, write));
    assertRefused(() -> odd.inTransaction(c -> Sql.execute(c, WRITE)));
    try (Connection connection = elsewhere.getConnection()) {
      connection.setAutoCommit(false);
      Sql.text(connection, "SELECT public.fence_pass(%s, 7)".formatted(literal));
      Sql.execute(connection, write);
      connection.commit();
    }
    assertThat(sql.number("SELECT count(*) FROM " + table)).isEqualTo(2);
  }

  @Test
  void twoGuardTablesDoNotPassForEachOther() throws SQLException {
    JdbcFence own = JdbcFence.builder(dataSource).table("app.guards").build();
    sql.run("CREATE SCHEMA app", "CREATE TABLE measure (id int)");
    own.createSchema();
    sql.run(
        PostgresEnforcement.ddl("app.guards"),
        "SELECT app.guards_guard_table('measure', 'ledger')");
    FencedResource theirs = own.raise("ledger", 33);

    assertThatThrownBy(() -> sql.run("INSERT INTO measure VALUES (1)"))
        .hasMessageContaining("SELECT app.guards_pass('ledger', token)");
    assertRefused(
        () -> ledger.inTransaction(c -> Sql.execute(c, "INSERT INTO measure VALUES (1)")));
    theirs.inTransaction(c -> Sql.execute(c, "INSERT INTO measure VALUES (1)"));
    assertRefused(() -> theirs.inTransaction(c -> Sql.execute(c, WRITE)));
  }

  @Test
  void theRoleOfTheApplicationNeedsNothingMore() throws SQLException {
    sql.run(
        "CREATE ROLE app LOGIN",
        "GRANT SELECT, INSERT, UPDATE ON fence TO app",
        "GRANT SELECT, UPDATE ON account TO app",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC");
    try {
      PGSimpleDataSource asApp = (PGSimpleDataSource) SERVER.dataSource();
      asApp.setUser("app");

      JdbcFence.of(asApp).raise("ledger", 34).inTransaction(c -> Sql.execute(c, WRITE));

      assertThat(balance()).isEqualTo(5);
      assertRefused(() -> new Sql(asApp).run(WRITE));
    } finally {
      sql.run("DROP OWNED BY app", "DROP ROLE app");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
  void aPersonPassesTheCheckOnPurposeAndTheNextHolderWaits(String isolation) throws Exception {
    try (Connection person = dataSource.getConnection()) {
      Sql.execute(person, "BEGIN ISOLATION LEVEL " + isolation);
      Sql.text(person, "SELECT fence_pass('ledger', 33)");
      Sql.execute(person, WRITE);
      CompletableFuture<FencedResource> raise = Background.start(() -> fence.raise("ledger", 34));
      FenceContract.awaitLockWaits(sql, 1);
      assertThat(raise).isNotDone();
      Sql.execute(person, "COMMIT");

      assertThat(raise.get(30, TimeUnit.SECONDS).token()).isEqualTo(34);
      assertThat(balance()).isEqualTo(5);
      assertThatThrownBy(() -> Sql.text(person, "SELECT fence_pass('ledger', 33)"))
          .hasMessageContaining(
              "stale token for resource \"ledger\": presented 33, but the fence is at 34, raised by");
    }
  }

  @Test
  void aPersonWhoseCheckIsRefusedOrOverCannotWrite() throws SQLException {
    try (Connection person = dataSource.getConnection()) {
      Sql.text(person, "SELECT fence_pass('ledger', 33)");
      assertRefused(() -> Sql.execute(person, WRITE));

      for (String pass :
          new String[] {"'ledger', 32", "'ledger', 34", "'ledger', NULL", "'none', 1"}) {
        Sql.execute(person, "BEGIN");
        Sql.execute(person, "SAVEPOINT before");
        assertThatThrownBy(() -> Sql.text(person, "SELECT fence_pass(" + pass + ")"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("FEN01"));
        Sql.execute(person, "ROLLBACK TO before");
        assertRefused(() -> Sql.execute(person, WRITE));
        Sql.execute(person, "ROLLBACK");
      }
    }
  }

  @Test
  void whatIsReplicatedIsNotGuarded() throws SQLException {
    try (Connection apply = dataSource.getConnection()) {
      Sql.execute(apply, "SET session_replication_role = replica");
      assertThat(Sql.execute(apply, WRITE)).isEqualTo(1);
    }
  }

  private long triggers() throws SQLException {
    return sql.number("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'guarded_by_fence%'");
  }

  private static long copy(Connection connection) throws SQLException, IOException {
    return connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn("COPY account FROM STDIN", new StringReader("2\t5\n3\t5\n"));
  }

  private static void assertRefused(ThrowingCallable write) {
    assertThatThrownBy(write)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("FEN02"));
  }
}
