package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the fence needs and survives on H2 in particular. */
class H2DialectTest extends RowLockContract {

  @Override
  DataSource dataSource() {
    return H2ContractTest.inMemory();
  }

  @Test
  void transactionsOfOneHolderTakeTurns() throws Exception {
    JdbcFence impatient =
        JdbcFence.builder(dataSource).checkTimeout(Duration.ofMillis(100)).build();
    FencedResource ledger = impatient.raise("ledger", 33);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Integer> first =
        Background.start(
            () ->
                ledger.inTransaction(
                    c -> {
                      inside.countDown();
                      goOn.await();
                      return 1;
                    }));
    inside.await();

    assertThatThrownBy(() -> ledger.inTransaction(c -> 2)).isInstanceOf(FenceBusyException.class);
    goOn.countDown();

    assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(ledger.<Integer, RuntimeException>inTransaction(c -> 3)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE fence ALTER COLUMN token int",
        "ALTER TABLE fence ALTER COLUMN resource VARCHAR(20)",
        "ALTER TABLE fence ALTER COLUMN origin VARCHAR(1023)",
        "ALTER TABLE fence_operation ALTER COLUMN operation_id VARCHAR(254)",
        "ALTER TABLE fence ALTER COLUMN resource VARCHAR_IGNORECASE(255)",
        "ALTER TABLE fence DROP COLUMN holder",
        "ALTER TABLE fence DROP PRIMARY KEY",
        "ALTER TABLE fence_operation ALTER COLUMN token int"
      })
  void aTableThatCannotHoldAFenceIsRefused(String damage) throws SQLException {
    sql.run(damage);

    assertThatThrownBy(() -> JdbcFence.of(dataSource).raise("ledger", 33))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS fence (");
  }

  @Test
  void aCollationThatTakesNamesForTheSameIsRefused() throws SQLException {
    sql.run("DROP TABLE account, fence, fence_operation");
    sql.run("SET COLLATION ENGLISH STRENGTH PRIMARY");
    try {
      assertThatThrownBy(() -> JdbcFence.of(dataSource).createSchema())
          .isInstanceOf(FenceSchemaException.class)
          .hasMessageContaining("collation");
    } finally {
      sql.run("DROP TABLE IF EXISTS fence, fence_operation", "SET COLLATION OFF");
    }
  }
}
