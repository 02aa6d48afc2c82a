package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A DataSource for code that knows nothing of fences, on every database; a subclass names it. */
abstract class FencedDataSourceContract extends DatabaseTest {

  private static final String SET = "UPDATE account SET balance = ? WHERE id = 1";

  private final DataSource fenced = new FencedDataSource(fence, Unbound.PASS);

  // With a hold and without

  @Test
  void aTransactionUnderAHoldIsCheckedAndCommitted() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    ledger.call(hold -> transact(5));

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aStaleHoldIsRefusedByTheFirstStatementAndItsTransactionCannotCommit() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    try (Connection connection = fenced.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> old.call(hold -> set(connection, 5)))
          .isInstanceOf(StaleTokenException.class)
          .hasMessageContainingAll("33", "34");

      assertThatThrownBy(() -> set(connection, 6))
          .as("the refusal was swallowed")
          .isInstanceOf(StaleTokenException.class);
      assertThatThrownBy(connection::commit)
          .isInstanceOf(FencingException.class)
          .hasCauseInstanceOf(StaleTokenException.class);
      set(connection, 7); // No hold is bound any more, and the refused transaction is over.
      connection.rollback();
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void everyTransactionOfAConnectionIsChecked() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement kept = connection.prepareStatement(SET)) {
              kept.setLong(1, 5);
              kept.executeUpdate();
              connection.commit();
              fence.raise("ledger", 34);

              assertThatThrownBy(kept::executeUpdate)
                  .as("a statement kept across a commit")
                  .isInstanceOf(StaleTokenException.class);
              connection.rollback();
              assertThatThrownBy(kept::executeUpdate).isInstanceOf(StaleTokenException.class);
            }
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void whatHasBegunWithoutAHoldIsRefusedUnderOne() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = fenced.getConnection()) {
      connection.setAutoCommit(false);
      long read = Sql.number(connection, "SELECT balance FROM account");

      assertThatThrownBy(() -> ledger.call(hold -> set(connection, read + 1)))
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContaining("Bind the hold first");
      connection.rollback();
      ledger.call(hold -> set(connection, 5));
      connection.commit();
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void withoutAHoldItPassesOrRefusesAsConfigured() throws SQLException {
    transact(5);
    DataSource strict = new FencedDataSource(fence, Unbound.REFUSE);
    try (Connection connection = strict.getConnection()) {
      assertThatThrownBy(() -> set(connection, 6))
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContaining("under no hold");
      fence.raise("ledger", 33).call(hold -> set(connection, 7));
    }
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void severalHoldsAreAllChecked() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    FencedResource stock = fence.raise("stock", 12);
    ledger.call(hold -> stock.call(inner -> transact(5)));
    fence.raise("stock", 13);

    assertThatThrownBy(() -> ledger.call(hold -> stock.call(inner -> transact(6))))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("\"stock\"");
    assertThatThrownBy(
            () ->
                ledger.call(
                    hold -> {
                      try (Connection connection = fenced.getConnection()) {
                        connection.setAutoCommit(false);
                        set(connection, 7);
                        FencedResource late = fence.raise("late", 1);
                        return late.call(inner -> set(connection, 8));
                      }
                    }))
        .isExactlyInstanceOf(FencingException.class);
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void twoHandlesOfOneResourceAreNotBoundAtATime() {
    FencedResource old = fence.raise("ledger", 33);
    FencedResource current = fence.raise("ledger", 34);

    assertThatThrownBy(() -> current.call(hold -> old.call(inner -> 0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another handle");
    assertThat(current.<Integer, RuntimeException>call(h -> current.call(inner -> 1))).isEqualTo(1);
  }

  @Test
  void aRaiseDoesNotWaitForATransactionOfItsOwnThread() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            set(connection, 5);
            assertThatThrownBy(() -> fence.raise("ledger", 34))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("would wait");
            connection.rollback();
            return fence.raise("ledger", 34);
          }
        });
  }

  @Test
  void aFenceIsNotPutOverAFence() {
    assertThatThrownBy(() -> JdbcFence.of(fenced))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("underneath");
    assertThatThrownBy(() -> FencedTable.builder(fenced, "account"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // Autocommit

  @Test
  void aStatementInAutocommitModeIsATransactionOfItsOwn() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            assertThat(set(connection, 5)).isEqualTo(1);
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(balance()).as("committed at once").isEqualTo(5);
            fence.raise("ledger", 34);
            assertThatThrownBy(() -> set(connection, 6)).isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> set(connection, 6)).isInstanceOf(StaleTokenException.class);
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(5);
    transact(8);
  }

  @Test
  void aQueryInAutocommitModeIsCommittedBeforeItsResultIsHandedOut() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    sql.run("INSERT INTO account VALUES (2, 200)");
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection();
              PreparedStatement query =
                  connection.prepareStatement("SELECT balance FROM account ORDER BY id")) {
            query.setFetchSize(1);
            ResultSet results = query.executeQuery();
            assertThat(sql.openTransactions()).isZero();
            assertThat(results.next()).isTrue();
            assertThat(results.next()).isTrue();
            assertThat(results.getLong(1)).isEqualTo(200);
            assertThat(query.getFetchSize()).isEqualTo(1);
          }
          return 0;
        });
  }

  @Test
  void aResultThatCanBeUpdatedKeepsTheFenceUntilItIsClosed() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection();
              Statement statement = updatable(connection)) {
            ResultSet results = statement.executeQuery("SELECT id, balance FROM account");
            assertThat(sql.openTransactions()).isEqualTo(1);
            results.close();
            assertThat(sql.openTransactions()).isZero();
            statement.executeQuery("SELECT id, balance FROM account");
            assertThat(sql.openTransactions()).isEqualTo(1);
          }
          return 0;
        });
    assertThat(sql.openTransactions()).as("closed with its connection").isZero();
  }

  private static Statement updatable(Connection connection) throws SQLException {
    return connection.createStatement(
        ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
  }

  @Test
  void aFailedStatementInAutocommitModeLeavesNothingOpen() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            assertThatThrownBy(() -> Sql.execute(connection, "INSERT INTO account VALUES (1, 1)"))
                .isInstanceOf(SQLException.class);
            assertThat(sql.openTransactions()).isZero();
            assertThat(set(connection, 5)).isEqualTo(1);
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void switchingToAutocommitCommitsWhatWasChecked() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            set(connection, 5);
            connection.setAutoCommit(true);
            assertThat(balance()).isEqualTo(5);
            fence.raise("ledger", 34);
            assertThatThrownBy(() -> set(connection, 6)).isInstanceOf(StaleTokenException.class);
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void switchingToAutocommitAfterARefusalRollsBackAndSaysSo() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    try (Connection connection = fenced.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> old.call(hold -> set(connection, 5)))
          .isInstanceOf(StaleTokenException.class);
      // Not unchecked: a mapper that cleans up by it would leave the connection open.
      assertThatThrownBy(() -> connection.setAutoCommit(true))
          .isInstanceOf(SQLException.class)
          .hasRootCauseInstanceOf(StaleTokenException.class);
      assertThat(connection.getAutoCommit()).isTrue();
      assertThat(set(connection, 6)).isEqualTo(1);
    }
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void whatNeedsNoTransactionEndsTheOneOfAResultThatIsStillOpen() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection();
              Statement statement = updatable(connection)) {
            statement.executeQuery("SELECT id FROM account");
            connection.setReadOnly(true);
            connection.setReadOnly(false);
            statement.executeQuery("SELECT id FROM account");
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            statement.executeQuery("SELECT id FROM account");
            rollBackThoughThereIsNothingToRollBack(connection);
            assertThat(sql.openTransactions()).isZero();
          }
          return 0;
        });
  }

  @Test
  void questionsAboutTheSchemaAreNotRefusedForWantOfAHold() throws SQLException {
    fence.raise("ledger", 33);
    DataSource strict = new FencedDataSource(fence, Unbound.REFUSE);
    for (boolean autoCommit : new boolean[] {true, false}) {
      try (Connection connection = strict.getConnection()) {
        connection.setAutoCommit(autoCommit);
        connection.getSchema();
        connection.getMetaData().getTableTypes().close();
        assertThatThrownBy(() -> set(connection, 5))
            .isInstanceOf(FencingException.class)
            .hasMessageContaining("under no hold");
      }
    }
  }

  // Ways around the check

  @Test
  void nothingLeadsBackToTheRawConnection() throws SQLException {
    try (Connection connection = fenced.getConnection();
        Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery("SELECT 1")) {
      assertThat(statement.getConnection()).isSameAs(connection);
      assertThat(results.getStatement()).isSameAs(statement);
      assertThat(results.getStatement().getConnection()).isSameAs(connection);
      assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
      assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
      Class<?> driver = dataSource.getConnection().unwrap(Connection.class).getClass();
      assertThat(connection.isWrapperFor(driver)).isFalse();
      assertThatThrownBy(() -> connection.unwrap(driver))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("FencedResource.check");
    }
  }

  @Test
  void aSavepointComesBehindTheCheck() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(connection::setSavepoint).isInstanceOf(StaleTokenException.class);
            connection.rollback();
          }
          return 0;
        });
    FencedResource current = fence.raise("ledger", 35);
    current.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            Savepoint savepoint = connection.setSavepoint();
            set(connection, 6);
            connection.rollback(savepoint);
            set(connection, 7);
            assertThat(sql.openTransactions()).isEqualTo(1);
            connection.commit();
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aConnectionThatIsClosedInATransactionIsRolledBack() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          Connection connection = fenced.getConnection();
          connection.setAutoCommit(false);
          set(connection, 5);
          connection.close();
          assertThat(sql.openTransactions()).isZero();
          connection.close();
          return 0;
        });
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aConnectionThatOutlivesTheWorkOfItsHoldIsRolledBack() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    Connection leaked =
        ledger.call(
            hold -> {
              Connection connection = fenced.getConnection();
              connection.setAutoCommit(false);
              set(connection, 5);
              return connection;
            });

    assertThat(sql.openTransactions()).isZero();
    leaked.commit();
    leaked.close();
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aTransactionThatWasBegunOutsideOutlivesTheHoldAndStaysSafe() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = fenced.getConnection()) {
      connection.setAutoCommit(false);
      ledger.call(hold -> set(connection, 5));
      assertThat(sql.openTransactions()).isEqualTo(1);
      connection.commit();
    }
    assertThat(balance()).isEqualTo(5);
  }

  // Plumbing

  @Test
  void generatedKeysAreKept() throws SQLException {
    sql.run("CREATE TABLE journal (" + sql.server().generatedKey + ", entry varchar(99))");
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection();
              PreparedStatement insert =
                  connection.prepareStatement(
                      "INSERT INTO journal (entry) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "first");
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
              assertThat(keys.next()).isTrue();
              assertThat(keys.getLong(1)).isEqualTo(1);
            }
            insert.setString(1, "second");
            insert.addBatch();
            insert.setString(1, "third");
            insert.addBatch();
            assertThat(insert.executeBatch()).hasSize(2);
          }
          return 0;
        });
    assertThat(sql.number("SELECT count(*) FROM journal")).isEqualTo(3);
    assertThat(sql.openTransactions()).isZero();
  }

  @Test
  void theDataSourceUnderneathCanBeLookedAt() throws SQLException {
    assertThat(fenced.isWrapperFor(dataSource.getClass())).isTrue();
    assertThat(fenced.unwrap(dataSource.getClass())).isSameAs(dataSource);
    assertThat(fenced.unwrap(FencedDataSource.class)).isSameAs(fenced);
  }

  private static void rollBackThoughThereIsNothingToRollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // As JDBC has it in autocommit mode; not every driver does.
    }
  }

  private int transact(long balance) throws SQLException {
    try (Connection connection = fenced.getConnection()) {
      connection.setAutoCommit(false);
      int written = set(connection, balance);
      connection.commit();
      return written;
    }
  }

  private static int set(Connection connection, long balance) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(SET)) {
      update.setLong(1, balance);
      return update.executeUpdate();
    }
  }
}
