package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

class H2FencedTableTest extends FencedTableContract {

  @Override
  DataSource dataSource() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:row_mode;DB_CLOSE_DELAY=-1");
    return dataSource;
  }

  @Override
  String lockWaits() {
    return "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
  }

  @Override
  String lockTimeout() {
    return "SELECT lock_timeout()";
  }

  @Test
  void theIsolationOfAPooledConnectionIsItsOwnAgainAfterwards() throws SQLException {
    JdbcConnectionPool pool = JdbcConnectionPool.create((JdbcDataSource) dataSource());
    pool.setMaxConnections(1);
    try {
      isolation(pool, Connection.TRANSACTION_SERIALIZABLE);
      FencedTable account = FencedTable.builder(pool, "account").build();
      account.overwrite(33, Map.of("balance", 1), 1L);
      assertThat(account.tryOverwrite(32, Map.of("balance", 2), 1L)).isEqualTo(UpdateOutcome.STALE);
      assertThatThrownBy(() -> account.overwrite(34, Map.of("no_such", 2), 1L))
          .isInstanceOf(FencingException.class);

      assertThat(isolation(pool, Connection.TRANSACTION_READ_COMMITTED))
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    } finally {
      pool.dispose();
    }
  }

  private static int isolation(DataSource pool, int next) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      int present = connection.getTransactionIsolation();
      connection.setTransactionIsolation(next);
      return present;
    }
  }

  @Override
  String openTransactions() {
    return "SELECT count(*) FROM information_schema.sessions WHERE contains_uncommitted";
  }
}
