package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.JdbcFence;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.springframework.jdbc.core.JdbcTemplate;

/** One ZooKeeper and one PostgreSQL for all tests of this JVM. */
final class Servers {

  private static final class ZooKeeperServer {
    private static final TestingServer SERVER = start();

    private static TestingServer start() {
      try {
        return new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 200, -1), true);
      } catch (Exception e) {
        throw new IllegalStateException("ZooKeeper did not start", e);
      }
    }
  }

  /** Beside everything that is tested. */
  static final JdbcTemplate SQL = new JdbcTemplate(PostgresServer.shared().dataSource());

  private Servers() {}

  static String zooKeeper() {
    return ZooKeeperServer.SERVER.getConnectString();
  }

  static CuratorFramework client() {
    return CuratorFrameworkFactory.newClient(zooKeeper(), 10_000, 10_000, new RetryOneTime(100));
  }

  static HikariDataSource pool(int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(PostgresServer.shared().url());
    pool.setUsername(PostgresServer.shared().user());
    pool.setMaximumPoolSize(size);
    return pool;
  }

  /** Ends a client's session on the server, as its expiry does, and leaves its threads alone. */
  static void endSession(CuratorFramework client) {
    try {
      ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
      CountDownLatch connected = new CountDownLatch(1);
      ZooKeeper second =
          new ZooKeeper(
              zooKeeper(),
              10_000,
              event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                  connected.countDown();
                }
              },
              handle.getSessionId(),
              handle.getSessionPasswd());
      SpringTest.pass(connected); // Or the close would not reach the server.
      second.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static void createTables() {
    dropTables();
    SQL.execute(
        """
        CREATE TABLE account (
          id int PRIMARY KEY, balance bigint NOT NULL, note text,
          version int NOT NULL DEFAULT 0, fencing_token bigint);
        CREATE TABLE item (number int, token bigint)
        """);
  }

  /** Two accounts, of 100 and 200, and nothing else. */
  static void fillTables() {
    SQL.execute(
        """
        DELETE FROM account;
        DELETE FROM item;
        INSERT INTO account VALUES (1, 100), (2, 200);
        """);
    if (Boolean.TRUE.equals(
        SQL.queryForObject("SELECT to_regclass('fence') IS NOT NULL", Boolean.class))) {
      SQL.execute("DELETE FROM fence");
    }
  }

  static void dropTables() {
    SQL.execute("DROP TABLE IF EXISTS account, item");
    dropGuardTable();
  }

  static void dropGuardTable() {
    SQL.execute("DROP TABLE IF EXISTS fence, fence_operation CASCADE");
  }

  /** Ends sessions as an administrator does, and waits until they are gone. */
  static void killSessions(String where) {
    List<Integer> victims =
        SQL.queryForList(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND "
                + where,
            Integer.class);
    assertThat(victims).as("sessions where " + where).isNotEmpty();
    for (int victim : victims) {
      SQL.queryForObject("SELECT pg_terminate_backend(?)", Boolean.class, victim);
      await()
          .atMost(SpringTest.LONG)
          .until(() -> number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + victim) == 0);
    }
  }

  static long balance(int id) {
    return number("SELECT balance FROM account WHERE id = " + id);
  }

  static long number(String query) {
    Long number = SQL.queryForObject(query, Long.class);
    return number == null ? -1 : number;
  }

  /** Fences out whoever holds the resource, as a newer holder's raise does. */
  static void overtake(JdbcFence fence, String resource) {
    fence.raise(
        resource, number("SELECT token FROM fence WHERE resource = '" + resource + "'") + 1);
  }
}
