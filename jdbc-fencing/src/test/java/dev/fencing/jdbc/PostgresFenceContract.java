package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * What a fence does on PostgreSQL alone, which has an aborted state; a subclass names the server.
 */
abstract class PostgresFenceContract extends FenceContract {

  @Test
  void aFrozenHoldersOpenTransactionIsEndedByTheServer() throws Exception {
    JdbcFence strict =
        JdbcFence.builder(dataSource).idleInTransactionTimeout(Duration.ofSeconds(1)).build();
    FencedResource old = strict.raise("ledger", 33);
    try (Connection frozen = dataSource.getConnection()) {
      frozen.setAutoCommit(false);
      old.check(frozen);
      setBalance(frozen, 5);

      FencedResource current = fence.raise("ledger", 34);

      long read = current.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
      assertThat(read).isEqualTo(100);
      assertThatThrownBy(frozen::commit).isInstanceOf(SQLException.class);
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aSwallowedStatementErrorIsNotReportedAsCommitted() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      setBalance(c, 5);
                      try {
                        Sql.execute(c, "INSERT INTO account VALUES (1, 0)");
                      } catch (SQLException swallowed) {
                        // As an application might.
                      }
                      return 0;
                    }))
        .isInstanceOf(FencingException.class)
        .hasMessageContaining("23505");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aCommitThatTheDatabaseRefusesIsAKnownRollback() throws SQLException {
    sql.run("CREATE TABLE strict (id int CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      setBalance(c, 5);
                      Sql.execute(c, "INSERT INTO strict VALUES (1)");
                      return Sql.execute(c, "INSERT INTO strict VALUES (1)");
                    }))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("refused to commit", "23505");

    assertThat(ledger.isUsable()).isTrue();
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aFailedLargeObjectIsNotReportedAsCommitted() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      setBalance(c, 5);
                      try (PreparedStatement select = c.prepareStatement("SELECT 999999::oid");
                          ResultSet results = select.executeQuery()) {
                        assertThat(results.next()).isTrue();
                        results.getBlob(1).getBinaryStream().read();
                      } catch (SQLException | IOException swallowed) {
                        // As an application might.
                      }
                      return 0;
                    }))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContaining("rolled back");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void anArrayOfTheWorkIsAView() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    ledger.inTransaction(
        c -> {
          Array array = c.createArrayOf("int4", new Object[] {1, 2});
          try (ResultSet elements = array.getResultSet();
              PreparedStatement sum =
                  c.prepareStatement("SELECT sum(i) FROM unnest(?::int[]) AS a(i)")) {
            assertThat(elements.getStatement()).isNull();
            sum.setArray(1, array);
            try (ResultSet result = sum.executeQuery()) {
              assertThat(result.next()).isTrue();
              assertThat(result.getInt(1)).isEqualTo(3);
            }
          }
          return setBalance(c, 5);
        });

    assertThat(balance()).isEqualTo(5);
  }
}
