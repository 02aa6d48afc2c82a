package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A batch whose rows are in the way one after the other waits no longer than one row would. */
class RowBatchTimeoutTest {

  @Nested
  class OnPostgres extends Contract {
    @Override
    DataSource dataSource() {
      return PostgresServer.shared().dataSource();
    }
  }

  @Nested
  class OnMariaDb extends Contract {
    @Override
    DataSource dataSource() {
      return MariaDbServer.shared()
          .map(MariaDbServer::dataSource)
          .orElseGet(() -> Assumptions.abort("no MariaDB for this kind of machine"));
    }
  }

  @Nested
  class OnH2 extends Contract {
    @Override
    DataSource dataSource() {
      return H2ContractTest.inMemory();
    }
  }

  abstract static class Contract extends DatabaseTest {

    private static final Duration BOUND = Duration.ofSeconds(2);
    private static final Duration FIRST = Duration.ofMillis(1_300);

    private final FencedTable account =
        FencedTable.builder(dataSource, "account").timeout(BOUND).build();
    private final List<RowUpdate> both =
        List.of(RowUpdate.of(Map.of("balance", 1), 1), RowUpdate.of(Map.of("balance", 1), 2));

    @BeforeEach
    void createMore() throws SQLException {
      sql.run(
          "ALTER TABLE account ADD fencing_token bigint",
          "INSERT INTO account (id, balance) VALUES (2, 100)");
    }

    @Test
    void inATransactionOfItsOwn() throws Exception {
      isBoundedInAll(() -> account.overwriteAll(33, both));
    }

    @Test
    void inATransactionOfTheCallers() throws Exception {
      isBoundedInAll(
          () -> {
            try (Connection connection = dataSource.getConnection()) {
              connection.setAutoCommit(false);
              account.on(connection).overwriteAll(33, both);
            }
          });
    }

    private interface Batch {
      void run() throws SQLException;
    }

    private void isBoundedInAll(Batch batch) throws Exception {
      try (Connection first = locking(1);
          Connection second = locking(2)) {
        long start = System.nanoTime();
        CompletableFuture<Duration> ended =
            Background.start(
                () -> {
                  Assertions.assertThatThrownBy(batch::run).isInstanceOf(FenceBusyException.class);
                  return Duration.ofNanos(System.nanoTime() - start);
                });
        sql.awaitLockWaits(1);
        Awaitility.await().until(() -> System.nanoTime() - start > FIRST.toNanos());
        first.rollback();
        // A wait that is bounded by itself begins again behind the first.
        assertThat(took(ended)).isBetween(FIRST, FIRST.plus(BOUND));
        second.rollback();
      }
      assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(200);
    }

    private Connection locking(int id) throws SQLException {
      Connection connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      Sql.execute(connection, "UPDATE account SET balance = 7 WHERE id = " + id);
      return connection;
    }

    private static Duration took(CompletableFuture<Duration> ended)
        throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
      return ended.get(30, TimeUnit.SECONDS);
    }
  }
}
