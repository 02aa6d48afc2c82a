package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** One fenced DataSource over one small pool, kept for all tests, as a mapper keeps its own. */
abstract class MapperTest extends PostgresTest {

  /** What lives as long as an application does. */
  static final class Stack {
    final TcpProxy proxy;
    final HikariDataSource pool;
    final JdbcFence fence;
    final FencedDataSource fenced;

    Stack(boolean autoCommit) {
      try {
        proxy = TcpProxy.to(SERVER.port());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      HikariConfig config = new HikariConfig();
      config.setDataSource(SERVER.dataSource(proxy.port()));
      config.setMaximumPoolSize(2);
      config.setAutoCommit(autoCommit);
      config.setConnectionTimeout(5_000);
      config.setLeakDetectionThreshold(60_000);
      pool = new HikariDataSource(config);
      fence = JdbcFence.of(pool);
      fenced = new FencedDataSource(fence, Unbound.PASS);
    }
  }

  private static final Map<Boolean, Stack> STACKS = new ConcurrentHashMap<>();

  final boolean autoCommit;
  final Stack stack;

  /**
   * @param autoCommit of the pool
   */
  MapperTest(boolean autoCommit) {
    this.autoCommit = autoCommit;
    this.stack = stack(autoCommit);
  }

  static Stack stack(boolean autoCommit) {
    return STACKS.computeIfAbsent(autoCommit, Stack::new);
  }

  @BeforeEach
  void createMore() throws SQLException {
    sql.run(
        "ALTER TABLE account ADD version bigint NOT NULL DEFAULT 0",
        "INSERT INTO account VALUES (2, 200), (3, 300)",
        "CREATE TABLE journal (id bigserial PRIMARY KEY, account int, entry text NOT NULL)");
  }

  @AfterEach
  void everyConnectionIsBackAsItWas() throws SQLException {
    assertThat(stack.pool.getHikariPoolMXBean().getActiveConnections()).as("leaked").isZero();
    try (Connection first = stack.pool.getConnection();
        Connection second = stack.pool.getConnection()) {
      for (Connection connection : new Connection[] {first, second}) {
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(connection.isReadOnly()).isFalse();
        assertThat(connection.getTransactionIsolation())
            .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        // The driver refuses that while a transaction is open.
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
    }
  }

  FencedResource hold(long token) {
    return stack.fence.raise("ledger", token);
  }

  long balance(int id) throws SQLException {
    return sql.number("SELECT balance FROM account WHERE id = " + id);
  }

  long entries() throws SQLException {
    return sql.number("SELECT count(*) FROM journal");
  }

  /** How often work goes to the server, the second time it is done. */
  long roundTrips(Callable<?> work) throws Exception {
    work.call();
    long before = stack.proxy.requests();
    work.call();
    return stack.proxy.requests() - before;
  }
}
