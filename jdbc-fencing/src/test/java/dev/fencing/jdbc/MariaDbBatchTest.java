package dev.fencing.jdbc;

import static dev.fencing.jdbc.UpdateOutcome.APPLIED;
import static dev.fencing.jdbc.UpdateOutcome.STALE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.MariaDbServer.Driver;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Batches, of which the drivers make one command, one text or many of both, and for which they
 * count unknown numbers of rows; rows 1 to 5 hold 100 each.
 */
class MariaDbBatchTest extends DatabaseTest {

  private enum Sending {
    AS_THE_DRIVER_DOES(Driver.MARIADB, ""),
    IN_BULK(Driver.MARIADB, "useBulkStmts=true"),
    NOT_IN_BULK(Driver.MARIADB, "useBulkStmts=false&useBulkStmtsForInserts=false"),
    ONE_AFTER_THE_OTHER(
        Driver.MARIADB, "useBulkStmts=false&useBulkStmtsForInserts=false&disablePipeline=true"),
    REWRITTEN_BY_MYSQLS_DRIVER(Driver.MYSQL, "rewriteBatchedStatements=true");

    private final Driver driver;
    private final String options;

    Sending(Driver driver, String options) {
      this.driver = driver;
      this.options = options;
    }

    /** A conflict with the snapshot rolls a transaction back, as a deadlock does. */
    DataSource dataSource() {
      return MariaDbServer.shared()
          .orElseThrow()
          .dataSource(driver, options, "sessionVariables=innodb_snapshot_isolation=1");
    }
  }

  @BeforeAll
  static void needsTheServer() {
    assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
  }

  @Override
  DataSource dataSource() {
    return MariaDbServer.shared().orElseThrow().dataSource();
  }

  @BeforeEach
  void addRows() throws SQLException {
    sql.run("INSERT INTO account VALUES (2, 100), (3, 100), (4, 100), (5, 100)");
  }

  @ParameterizedTest
  @EnumSource
  void aBatchUnderAHoldIsOneTransaction(Sending sending) throws SQLException {
    sql.run("CREATE TABLE journal (" + sql.server().generatedKey + ", entry varchar(99))");
    JdbcFence own = JdbcFence.of(sending.dataSource());
    FencedResource old = own.raise("ledger", 33);
    DataSource fenced = new FencedDataSource(own, Unbound.REFUSE);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            assertThat(addOneToEach(connection)).hasSize(5).containsAnyOf(1, -2);
            assertThat(balances()).isEqualTo("101 101 101 101 101");

            connection.setAutoCommit(false);
            addOneToEach(connection);
            assertThat(balances()).as("not committed").isEqualTo("101 101 101 101 101");
            connection.rollback();
            addOneToEach(connection);
            connection.commit();
            assertThat(balances()).isEqualTo("102 102 102 102 102");
          }
          return 0;
        });
    old.inTransaction(MariaDbBatchTest::addOneToEach);
    assertThat(balances()).isEqualTo("103 103 103 103 103");
    old.call(hold -> insertThree(fenced));
    assertThat(sql.text("SELECT GROUP_CONCAT(entry ORDER BY id) FROM journal")).isEqualTo("a,b,c");

    fence.raise("ledger", 34);
    for (boolean autoCommit : new boolean[] {true, false}) {
      assertThatThrownBy(
              () ->
                  old.call(
                      hold -> {
                        try (Connection connection = fenced.getConnection()) {
                          connection.setAutoCommit(autoCommit);
                          return addOneToEach(connection);
                        }
                      }))
          .isInstanceOf(StaleTokenException.class);
    }
    assertThat(balances()).isEqualTo("103 103 103 103 103");
  }

  /** Most drivers send the rest of a batch whatever becomes of its first statements. */
  @ParameterizedTest
  @EnumSource
  void aSwallowedFailureInABatchKeepsTheTransactionOrIsRefused(Sending sending)
      throws SQLException {
    FencedResource ledger = JdbcFence.of(sending.dataSource()).raise("ledger", 33);

    Exception refused =
        caught(
            () ->
                ledger.inTransaction(
                    c -> {
                      FenceContract.setBalance(c, 7);
                      assertThatThrownBy(() -> move(c, 2, 12, 3, 4, 5, 15))
                          .isInstanceOf(BatchUpdateException.class);
                      return Sql.execute(c, "UPDATE account SET balance = 8 WHERE id = 3");
                    }));

    if (refused == null) {
      assertThat(sql.text("SELECT GROUP_CONCAT(balance) FROM account WHERE balance < 100"))
          .isEqualTo("7,8");
    } else {
      assertThat(refused).hasMessageContainingAll("\"ledger\"", "Duplicate entry '4'");
      assertThat(balances()).isEqualTo("100 100 100 100 100");
    }

    // MariaDB's driver names the first failure, of one statement alone; a rollback came after it.
    refused =
        caught(
            () ->
                ledger.inTransaction(
                    c -> {
                      Sql.number(c, "SELECT balance FROM account WHERE id = 1");
                      sql.run("UPDATE account SET balance = 70 WHERE id = 1");
                      Sql.execute(c, "UPDATE account SET balance = 90 WHERE id = 4");
                      assertThatThrownBy(() -> move(c, 4, 3, 1, 11, 4, 14))
                          .isInstanceOf(BatchUpdateException.class);
                      return 0;
                    }));

    assertThat(refused == null).isEqualTo(sending == Sending.ONE_AFTER_THE_OTHER);
    assertThat(sql.text("SELECT CONCAT(id, ' ', balance) FROM account WHERE id IN (4, 14)"))
        .isEqualTo(refused == null ? "4 90" : "4 100");
    assertThat(sql.number("SELECT balance FROM account WHERE id = 1")).isEqualTo(70);
    assertThat(ledger.isUsable()).isTrue();
  }

  private static @Nullable Exception caught(Callable<?> work) {
    try {
      work.call();
      return null;
    } catch (Exception e) {
      return e;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"AS_THE_DRIVER_DOES", "IN_BULK"})
  void aBatchOfRowsTellsWhichIsStale(Sending sending) throws SQLException {
    sql.run(
        "ALTER TABLE account ADD COLUMN fencing_token bigint",
        "UPDATE account SET fencing_token = 34 WHERE id = 3");
    FencedTable account = FencedTable.builder(sending.dataSource(), "account").build();
    List<RowUpdate> rows =
        LongStream.rangeClosed(1, 5)
            .mapToObj(id -> RowUpdate.of(Map.of("balance", id), id))
            .toList();

    RefusedBatchException stale =
        catchThrowableOfType(RefusedBatchException.class, () -> account.overwriteAll(33, rows));
    assertThat(stale.verdicts())
        .extracting(RefusedBatchException.Verdict::outcome)
        .containsExactly(APPLIED, APPLIED, STALE, APPLIED, APPLIED);
    assertThat(balances()).isEqualTo("100 100 100 100 100");

    account.upsertAll(34, rows);
    assertThat(balances()).isEqualTo("1 2 3 4 5");
  }

  private static int insertThree(DataSource fenced) throws SQLException {
    try (Connection connection = fenced.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO journal (entry) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
      for (String entry : List.of("a", "b", "c")) {
        insert.setString(1, entry);
        insert.addBatch();
      }
      insert.executeBatch();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        for (long key = 1; key <= 3; key++) {
          assertThat(keys.next()).isTrue();
          assertThat(keys.getLong(1)).isEqualTo(key);
        }
      }
    }
    return 0;
  }

  private static int[] addOneToEach(Connection connection) throws SQLException {
    try (PreparedStatement add =
        connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
      for (int id = 1; id <= 5; id++) {
        add.setInt(1, 1);
        add.setInt(2, id);
        add.addBatch();
      }
      return add.executeBatch();
    }
  }

  /** Gives rows other numbers, each from and to. */
  private static int[] move(Connection connection, int... ids) throws SQLException {
    try (PreparedStatement move =
        connection.prepareStatement("UPDATE account SET id = ? WHERE id = ?")) {
      for (int i = 0; i < ids.length; i += 2) {
        move.setInt(1, ids[i + 1]);
        move.setInt(2, ids[i]);
        move.addBatch();
      }
      return move.executeBatch();
    }
  }

  private String balances() throws SQLException {
    return sql.text("SELECT GROUP_CONCAT(balance ORDER BY id SEPARATOR ' ') FROM account");
  }
}
