package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What must hold where a transaction has no aborted state; a subclass names the database. */
abstract class RowLockContract extends DatabaseTest {

  @Test
  void aSwallowedDeadlockCannotBeFollowedByAWriteThatCommits() throws Exception {
    for (int id = 2; id < 30; id++) {
      sql.run("INSERT INTO account VALUES (" + id + ", 0)");
    }
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      Sql.execute(other, "UPDATE account SET balance = 7 WHERE id > 1"); // More than the victim.

      assertThatThrownBy(
              () ->
                  ledger.inTransaction(
                      c -> {
                        FenceContract.setBalance(c, 5);
                        CompletableFuture<Integer> closing =
                            Background.start(
                                () -> {
                                  sql.awaitLockWaits(1);
                                  return FenceContract.setBalance(other, 7);
                                });
                        assertThatThrownBy(
                                () -> Sql.execute(c, "UPDATE account SET balance = 5 WHERE id = 2"))
                            .isInstanceOf(SQLException.class);
                        assertThat(closing.get(30, TimeUnit.SECONDS)).isEqualTo(1);
                        other.commit();

                        assertThatThrownBy(() -> FenceContract.setBalance(c, 6))
                            .hasMessageContainingAll("rolled", "unchecked", "\"ledger\"");
                        return 0;
                      }))
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContainingAll("rolled back", "40001")
          .hasCauseInstanceOf(SQLException.class);
    }
    assertThat(balance()).isEqualTo(7);
    assertThat(ledger.isUsable()).isTrue();
  }

  @Test
  void aSwallowedLockTimeoutLeavesTheTransactionAsItWas() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    sql.run("INSERT INTO account VALUES (2, 0)");
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      Sql.execute(other, "UPDATE account SET balance = 7 WHERE id = 2");

      ledger.inTransaction(
          c -> {
            FenceContract.setBalance(c, 5);
            assertThatThrownBy(
                    () ->
                        Sql.execute(
                            c, "SELECT balance FROM account WHERE id = 2 FOR UPDATE NOWAIT"))
                .isInstanceOf(SQLException.class);
            return FenceContract.addToBalance(c, 1);
          });
      other.rollback();
    }
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void anOperationThatWaitedForItsTwinFindsItWhateverTheSnapshot() throws Exception {
    FencedResource ledger = fence.raise("ledger", 33);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<OperationOutcome<Integer>> first =
        Background.start(
            () ->
                ledger.inTransaction(
                    "pay-1",
                    c -> {
                      inside.countDown();
                      goOn.await();
                      return FenceContract.addToBalance(c, 5);
                    }));
    inside.await();
    CompletableFuture<OperationOutcome<Integer>> second =
        Background.start(
            () -> ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5)));
    sql.awaitLockWaits(1);
    goOn.countDown();

    assertThat(first.get(30, TimeUnit.SECONDS)).isInstanceOf(OperationOutcome.Applied.class);
    assertThat(second.get(30, TimeUnit.SECONDS))
        .isInstanceOf(OperationOutcome.AlreadyApplied.class);
    assertThat(balance()).isEqualTo(105);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE strict (id int)",
        "/* first */ create table strict (id int)",
        "DROP TABLE account",
        "ALTER TABLE account ADD COLUMN note int",
        "TRUNCATE TABLE account",
        "COMMIT",
        "SET AUTOCOMMIT = 1",
        "UPDATE account SET balance = 5; COMMIT"
      })
  void aStatementThatCommitsByItselfIsRefused(String text) throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      FenceContract.setBalance(c, 5);
                      assertThatThrownBy(() -> Sql.execute(c, text))
                          .hasMessageContainingAll("is refused", "\"ledger\"");
                      try (var statement = c.createStatement()) {
                        assertThatThrownBy(() -> statement.execute(text))
                            .hasMessageContaining("is refused");
                        assertThatThrownBy(() -> statement.addBatch(text))
                            .hasMessageContaining("is refused");
                      }
                      throw new IllegalStateException("as an application might");
                    }))
        .hasMessage("as an application might");
    assertThat(balance()).as("nothing was committed").isEqualTo(100);
  }

  @Test
  void aRefusedConnectionIsLostToItsBorrowerAndNotToThePool() throws SQLException {
    try (HikariDataSource pool = new HikariDataSource(pool(1, "TRANSACTION_READ_COMMITTED"))) {
      FencedResource old = JdbcFence.of(pool).raise("ledger", 33);
      fence.raise("ledger", 34);
      Connection borrowed = pool.getConnection();
      borrowed.setAutoCommit(false);
      FenceContract.setBalance(borrowed, 5);
      assertThatThrownBy(() -> old.check(borrowed)).isInstanceOf(StaleTokenException.class);

      assertThat(borrowed.isClosed()).isTrue();
      assertThatThrownBy(() -> FenceContract.setBalance(borrowed, 6))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(borrowed::commit).isInstanceOf(SQLException.class);
      try (Connection next = pool.getConnection()) {
        assertThat(next.getAutoCommit()).isTrue();
        assertThat(Sql.number(next, "SELECT balance FROM account")).isEqualTo(100);
      }
    }
  }

  final HikariConfig pool(int connections, String isolation) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(connections);
    config.setTransactionIsolation(isolation);
    return config;
  }
}
