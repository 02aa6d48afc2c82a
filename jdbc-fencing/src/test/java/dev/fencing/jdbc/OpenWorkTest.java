package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.MariaDbServer.Driver;
import dev.fencing.fixtures.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A DataSource that gives a connection with autocommit off, and perhaps with work in it. */
class OpenWorkTest {

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
      return mariaDb(Driver.MARIADB);
    }
  }

  @Nested
  class OnMariaDbByTheDriverOfMySql extends Contract {
    @Override
    DataSource dataSource() {
      return mariaDb(Driver.MYSQL);
    }
  }

  @Nested
  class OnH2 extends Contract {
    @Override
    DataSource dataSource() {
      return H2ContractTest.inMemory();
    }
  }

  private static DataSource mariaDb(Driver driver) {
    return MariaDbServer.shared()
        .map(server -> server.dataSource(driver))
        .orElseGet(() -> Assumptions.abort("no MariaDB for this kind of machine"));
  }

  abstract static class Contract extends DatabaseTest {

    @Test
    void workThatIsOpenIsNotEndedWhoeverHandsTheConnectionOut() throws SQLException {
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        JdbcFence fenced = JdbcFence.of(new SingleConnectionDataSource(connection, true));
        FencedTable rows =
            FencedTable.builder(new SingleConnectionDataSource(connection, true), "account")
                .build();
        FenceContract.setBalance(connection, 5);

        assertThatThrownBy(() -> fenced.raise("ledger", 33))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("DataSource underneath");
        assertThatThrownBy(() -> rows.claim(33, 1).isUsable())
            .isInstanceOf(IllegalStateException.class);

        connection.commit();
      }
      assertThat(balance()).isEqualTo(5);
      assertThat(fence.current("ledger")).isEmpty();
    }

    @Test
    void aTestQueryOfAPoolIsNoSuchWork() throws SQLException {
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        JdbcFence fenced = JdbcFence.of(new SingleConnectionDataSource(connection, true));
        Sql.number(connection, "SELECT 1");

        assertThat(fenced.raise("ledger", 33).isUsable()).isTrue();
      }
    }
  }
}
