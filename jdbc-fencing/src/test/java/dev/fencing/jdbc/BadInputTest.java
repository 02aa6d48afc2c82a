package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Each a clear error, nothing written, and the next good call works. */
class BadInputTest extends PostgresTest {

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void aTokenThatIsNotPositiveIsRefused(long token) throws SQLException {
    assertThatThrownBy(() -> fence.raise("ledger", token))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"ledger\"", "greater than 0", Long.toString(token));
    assertNothingRaised();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 256, 10_000})
  void aResourceNameOfTheWrongLengthIsRefused(int length) throws SQLException {
    assertThatThrownBy(() -> fence.raise("x".repeat(length), 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("1 to 255", "has " + length);
    assertNothingRaised();
  }

  @Test
  @SuppressWarnings("NullAway")
  void aNullResourceNameIsRefused() throws SQLException {
    assertThatThrownBy(() -> fence.raise(null, 33))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("resource");
    assertNothingRaised();
  }

  @Test
  void aResourceNameWithNulIsRefused() throws SQLException {
    assertThatThrownBy(() -> fence.raise("led\0ger", 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NUL");
    assertNothingRaised();
  }

  @Test
  void aResourceNameWithHalfASurrogatePairIsRefused() throws SQLException {
    assertThatThrownBy(() -> fence.raise("\ud800", 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("surrogate");
    assertNothingRaised();
  }

  @Test
  void aRoleThatMayNotCreateTheTableIsToldSo() throws SQLException {
    sql.run(
        "DROP TABLE fence",
        "CREATE ROLE guest LOGIN",
        "REVOKE CREATE ON SCHEMA public FROM public");
    try {
      PGSimpleDataSource guest = (PGSimpleDataSource) SERVER.dataSource();
      guest.setUser("guest");

      assertThatThrownBy(() -> JdbcFence.of(guest).createSchema())
          .isInstanceOf(FenceSchemaException.class)
          .hasMessageContainingAll("permission denied", "owner", "CREATE TABLE");
      fence().createSchema();
    } finally {
      sql.run("DROP ROLE guest");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"'; DROP TABLE account; --", "\"quoted\"", "a\nb", "%_\\", "Ω/ledger", "💰"})
  void aResourceNameIsOnlyEverAValue(String name) throws SQLException {
    FencedResource resource = fence.raise(name, 33);

    resource.inTransaction(c -> FenceContract.setBalance(c, 5));

    assertThat(sql.text("SELECT resource FROM fence")).isEqualTo(name);
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aResourceNameOf255CodePointsFits() throws SQLException {
    String name = "💰".repeat(255);

    fence.raise(name, 33).inTransaction(c -> FenceContract.setBalance(c, 5));

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aMissingGuardTableNamesTheCallAndTheDdl() throws SQLException {
    sql.run("DROP TABLE fence");

    assertThatThrownBy(() -> fence().raise("ledger", 33))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContainingAll(
            "\"fence\" does not exist", "createSchema()", "CREATE TABLE IF NOT EXISTS fence (");
  }

  @Test
  void aPoolOfOneConnectionIsToldThatTheSelfTestNeedsTwo() {
    try (SingleConnection pool = new SingleConnection(dataSource, Duration.ofMillis(250))) {
      JdbcFence alone = JdbcFence.of(pool);

      assertThatThrownBy(alone::createSchema)
          .isExactlyInstanceOf(FencingException.class)
          .hasMessageContainingAll("two connections at a time", "at least 2");
      assertThat(alone.raise("ledger", 33).token()).isEqualTo(33);
    }
  }

  @Test
  void anIntTokenColumnIsRefused() throws SQLException {
    sql.run("ALTER TABLE fence ALTER COLUMN token TYPE int");

    assertThatThrownBy(() -> fence().raise("ledger", 33))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("column token of fence is integer and must be bigint");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE fence ALTER COLUMN token TYPE numeric(20)",
        "ALTER TABLE fence ALTER COLUMN raise_id TYPE int",
        "ALTER TABLE fence ALTER COLUMN generation TYPE smallint",
        "ALTER TABLE fence DROP COLUMN holder",
        "ALTER TABLE fence DROP CONSTRAINT fence_pkey"
      })
  void aGuardTableThatCannotHoldAFenceIsRefused(String damage) throws SQLException {
    sql.run(damage);

    assertThatThrownBy(() -> fence().raise("ledger", 33)).isInstanceOf(FenceSchemaException.class);
    assertThatThrownBy(() -> fence().createSchema()).isInstanceOf(FenceSchemaException.class);
    assertNothingRaised();
  }

  @Test
  void theSchemaMayBeCreatedByManyAtOnce() throws Exception {
    for (int round = 0; round < 10; round++) {
      sql.run("DROP TABLE fence");
      List<CompletableFuture<Boolean>> creators = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        creators.add(
            Background.start(
                () -> {
                  fence().createSchema();
                  return true;
                }));
      }
      for (CompletableFuture<Boolean> creator : creators) {
        assertThat(creator.get(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  @Test
  void theGuardTableMayHaveAnotherNameAndSchema() throws SQLException {
    sql.run("CREATE SCHEMA locks");
    try {
      JdbcFence other = JdbcFence.builder(dataSource).table("locks.guard").build();
      other.createSchema();
      FencedResource ledger = other.raise("ledger", 33);
      ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
      assertThat(sql.number("SELECT token FROM locks.guard WHERE resource = 'ledger'"))
          .isEqualTo(33);
      assertNothingRaised();
    } finally {
      sql.run("DROP SCHEMA locks CASCADE");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Fence", "a.b.c", "fence; DROP TABLE account", "\"fence\"", "1a"})
  void aTableNameThatNeedsQuotingIsRefused(String table) {
    assertThatThrownBy(() -> JdbcFence.builder(dataSource).table(table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("guard table");
  }

  @Test
  void settingsOutOfRangeAreRefusedByName() {
    JdbcFenceBuilder builder = JdbcFence.builder(dataSource);

    assertThatThrownBy(() -> builder.raiseTimeout(Duration.ZERO))
        .hasMessageContainingAll("raiseTimeout", "PT0S");
    assertThatThrownBy(() -> builder.checkTimeout(Duration.ofSeconds(-1)))
        .hasMessageContaining("checkTimeout");
    assertThatThrownBy(() -> builder.idleInTransactionTimeout(Duration.ofDays(1)))
        .hasMessageContaining("idleInTransactionTimeout");
    assertThatThrownBy(() -> builder.raiseTimeout(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.generation(-1)).hasMessageContaining("generation");
    assertThatThrownBy(() -> builder.holder("")).hasMessageContaining("holder");
  }

  @Test
  void anUnreachableDatabaseIsNamedAndTheRaiseIsBounded() {
    PGSimpleDataSource nowhere = (PGSimpleDataSource) SERVER.dataSource(1);

    assertThatThrownBy(
            () ->
                JdbcFence.builder(nowhere)
                    .raiseTimeout(Duration.ofMillis(200))
                    .build()
                    .raise("ledger", 33))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("127.0.0.1:1", " ms");
  }

  private JdbcFence fence() {
    return JdbcFence.of(dataSource);
  }

  private void assertNothingRaised() throws SQLException {
    assertThat(sql.number("SELECT count(*) FROM fence")).isZero();
  }
}
