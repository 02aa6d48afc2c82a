package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresDataSourceTest extends FencedDataSourceContract {

  @Override
  DataSource dataSource() {
    return PostgresServer.shared().dataSource();
  }

  private final DataSource fenced = new FencedDataSource(fence, Unbound.PASS);

  @Test
  void aReadOnlyTransactionIsNotChecked() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM account"))
                .hasMessageContaining("read-only");
            connection.rollback();
            connection.setReadOnly(false);
            assertThatThrownBy(() -> Sql.number(connection, "SELECT balance FROM account"))
                .isInstanceOf(StaleTokenException.class);
            connection.rollback();
          }
          return 0;
        });
  }

  @Test
  void aReadOnlyConnectionWhoseDriverTellsTheServerNothingIsChecked() throws SQLException {
    PGSimpleDataSource careless = (PGSimpleDataSource) PostgresServer.shared().dataSource();
    careless.setReadOnlyMode("ignore");
    JdbcFence other = JdbcFence.of(careless);
    FencedResource old = other.raise("ledger", 33);
    other.raise("ledger", 34);
    old.call(
        hold -> {
          try (Connection connection = new FencedDataSource(other, Unbound.PASS).getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM account"))
                .isInstanceOf(StaleTokenException.class);
            connection.rollback();
          }
          return 0;
        });
  }

  @Test
  void aReadOnlyTransactionNeedsNoHoldAndNoRaise() throws SQLException {
    DataSource strict = new FencedDataSource(JdbcFence.of(dataSource), Unbound.REFUSE);
    try (Connection connection = strict.getConnection()) {
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
    }
  }

  @Test
  void aRoleThatOnlyReadsReadsUnderAHold() throws SQLException {
    PGSimpleDataSource reader = (PGSimpleDataSource) PostgresServer.shared().dataSource();
    reader.setOptions("-c default_transaction_read_only=on");
    JdbcFence reading = JdbcFence.of(reader);
    FencedResource old = reading.attach(fence.raise("ledger", 33).toText());
    fence.raise("ledger", 34);
    DataSource fencedReader = new FencedDataSource(reading, Unbound.PASS);
    for (boolean autoCommit : new boolean[] {true, false}) {
      old.call(
          hold -> {
            try (Connection connection = fencedReader.getConnection()) {
              connection.setAutoCommit(autoCommit);
              assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
              assertThatThrownBy(() -> Sql.execute(connection, "DELETE FROM account"))
                  .hasMessageContaining("read-only");
            }
            return 0;
          });
    }
  }

  @Test
  void whatWritesIsCommittedBeforeItsResultIsHandedOut() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection();
              Statement statement = connection.createStatement();
              ResultSet results =
                  statement.executeQuery("UPDATE account SET balance = 5 RETURNING balance")) {
            assertThat(balance()).isEqualTo(5);
            assertThat(results.next()).isTrue();
            assertThat(results.getLong(1)).isEqualTo(5);
          }
          return 0;
        });
  }

  @Test
  void anArrayInAutocommitModeIsNoTransaction() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(PostgresServer.shared().port())) {
      JdbcFence proxied = JdbcFence.of(PostgresServer.shared().dataSource(proxy.port()));
      FencedResource ledger = proxied.raise("ledger", 33);
      ledger.call(
          hold -> {
            try (Connection connection =
                new FencedDataSource(proxied, Unbound.PASS).getConnection()) {
              connection.createArrayOf("int4", new Integer[] {1});
              long before = proxy.requests();
              connection.createArrayOf("int4", new Integer[] {1});
              assertThat(proxy.requests()).isEqualTo(before);
            }
            return 0;
          });
    }
  }

  @Test
  void aSwallowedFailureCannotBeCommitted() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "UPDATE account SET balance = 5");
            assertThatThrownBy(() -> Sql.execute(connection, "INSERT INTO account VALUES (1, 1)"))
                .isInstanceOf(SQLException.class);
            assertThatThrownBy(connection::commit)
                .isInstanceOf(FencingException.class)
                .hasMessageContaining("rolled back");
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aLostAnswerToCommitIsUnknownAndTheHandleIsDead() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(PostgresServer.shared().port())) {
      JdbcFence proxied = JdbcFence.of(PostgresServer.shared().dataSource(proxy.port()));
      FencedResource ledger = proxied.raise("ledger", 33);
      DataSource behind = new FencedDataSource(proxied, Unbound.PASS);
      Fault lost = proxy.dropReplyTo("COMMIT\0");

      assertThatThrownBy(
              () ->
                  ledger.call(
                      hold -> {
                        try (Connection connection = behind.getConnection()) {
                          connection.setAutoCommit(false);
                          Sql.execute(connection, "UPDATE account SET balance = 5");
                          try {
                            connection.commit();
                          } finally {
                            connection.rollback(); // Must not hide what the commit has thrown.
                          }
                          return 0;
                        }
                      }))
          .isInstanceOf(UnknownOutcomeException.class);

      lost.await(Duration.ofSeconds(30));
      assertThat(ledger.isUsable()).isFalse();
      assertThat(balance()).isEqualTo(5);
    }
  }

  @Test
  void nothingRunsUncheckedBehindACommitThatTheServerRefused() throws SQLException {
    sql.run("CREATE TABLE journal (account int REFERENCES account DEFERRABLE INITIALLY DEFERRED)");
    FencedResource old = fence.raise("ledger", 33);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "INSERT INTO journal VALUES (7)");
            assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLException.class)
                .hasFieldOrPropertyWithValue("SQLState", "23503");
            fence.raise("ledger", 34);

            assertThatThrownBy(() -> Sql.execute(connection, "UPDATE account SET balance = 5"))
                .isInstanceOf(FencingException.class);
            connection.rollback();
            assertThatThrownBy(() -> Sql.execute(connection, "UPDATE account SET balance = 5"))
                .isInstanceOf(StaleTokenException.class);
            connection.rollback();
          }
          return 0;
        });
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aQueryWhoseCommitFailsIsNotTakenForDone() throws SQLException {
    sql.run(
        "CREATE TABLE journal (account int REFERENCES account DEFERRABLE INITIALLY DEFERRED)",
        "CREATE FUNCTION note(a int) RETURNS int LANGUAGE sql AS"
            + " $$INSERT INTO journal VALUES (a) RETURNING account$$");
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = fenced.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> ledger.call(hold -> statement.executeQuery("SELECT note(7)")))
          .isInstanceOf(SQLException.class)
          .hasFieldOrPropertyWithValue("SQLState", "23503");
      assertThat(connection.getAutoCommit()).isTrue();
    } finally {
      sql.run("DROP FUNCTION note");
    }
    assertThat(sql.openTransactions()).isZero();
  }

  @Test
  void aReadOnlyTransactionStaysOneUntilItEnds() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    DataSource strict = new FencedDataSource(fence, Unbound.REFUSE);
    try (Connection connection = strict.getConnection()) {
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      connection.createArrayOf("int4", new Object[] {1});
      assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
      assertThatThrownBy(() -> connection.setReadOnly(false)).isInstanceOf(SQLException.class);
      for (String text : new String[] {"BEGIN READ WRITE", "COMMIT; DELETE FROM account"}) {
        assertThatThrownBy(() -> Sql.execute(connection, text)).isInstanceOf(SQLException.class);
      }
      connection.rollback();
      connection.setReadOnly(false);
      assertThatThrownBy(() -> old.call(hold -> Sql.number(connection, "SELECT 1")))
          .isInstanceOf(StaleTokenException.class);
      connection.rollback();
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aTextThatOnlySpeaksOfReadAndWriteIsRun() throws SQLException {
    sql.run("CREATE TABLE journal (is_read_only boolean, entry text)");
    FencedResource ledger = fence.raise("ledger", 33);
    ledger.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            Sql.execute(connection, "INSERT INTO journal VALUES (true, 'may read write')");
            return Sql.execute(connection, "UPDATE journal SET is_read_only = false");
          }
        });
    assertThat(sql.number("SELECT count(*) FROM journal WHERE NOT is_read_only")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET TRANSACTION READ WRITE",
        "set session characteristics as transaction read  write",
        "SET default_transaction_read_only = off",
        "SELECT set_config('transaction_read_only', 'off', true)"
      })
  void aReadOnlyTransactionIsNotMadeOneThatWrites(String text) throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> Sql.execute(connection, text))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("READ WRITE");
            connection.rollback();
          }
          return 0;
        });
  }

  @Test
  void whatCannotRunInATransactionSaysSo() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = fenced.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> ledger.call(hold -> statement.execute("VACUUM account")))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("where no hold is bound");
      statement.execute("VACUUM account");
    }
  }

  @Test
  void rowsThatAreUpdatedThroughAResultSetAreChecked() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    old.call(
        hold -> {
          try (Connection connection = fenced.getConnection();
              Statement statement =
                  connection.createStatement(
                      ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
              ResultSet results = statement.executeQuery("SELECT id, balance FROM account")) {
            results.next();
            results.updateLong(2, 5);
            results.updateRow();
          }
          assertThat(balance()).isEqualTo(5);
          return 0;
        });
  }
}
