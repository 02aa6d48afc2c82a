package dev.fencing.examples.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.examples.job.demo.TestZooKeeper;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The switch from plain to fenced, instance by instance, and back: docs/rolling-switch.md.
 *
 * <p>In every test an old holder loses its session between its read and its write, a new holder
 * adds 5, and then the old one writes what it had computed.
 */
class RollingSwitchTest {

  private static final String PATH = "/locks/switch";
  private static final String RESOURCE = "account";

  private final DataSource database = PostgresServer.shared().dataSource();
  private final JdbcFence fence = JdbcFence.builder(database).table("rolling_switch_fence").build();
  private TestZooKeeper zookeeper;
  private CuratorFramework old;
  private CuratorFramework successor;

  @BeforeEach
  void openAnAccount() throws Exception {
    execute("CREATE TABLE rolling_switch_account (balance bigint)");
    execute("INSERT INTO rolling_switch_account VALUES (100)");
    fence.createSchema();
    zookeeper = TestZooKeeper.start();
    old = TestZooKeeper.connect(zookeeper.address());
    successor = TestZooKeeper.connect(zookeeper.address());
  }

  @AfterEach
  void leaveNothing() throws SQLException {
    old.close();
    successor.close();
    zookeeper.close();
    execute("DROP TABLE rolling_switch_account, rolling_switch_fence");
  }

  @Test
  void step1ExcludesStep0AndTheOtherWayRound() throws Exception {
    InterProcessMutex plain = new InterProcessMutex(old, PATH);
    InterProcessFencedMutex fenced = new InterProcessFencedMutex(successor, PATH);
    plain.acquire();
    assertThat(fenced.acquire(0, TimeUnit.SECONDS)).isFalse();
    plain.release();
    assertThat(fenced.acquire(10, TimeUnit.SECONDS)).isTrue();
    assertThat(plain.acquire(0, TimeUnit.SECONDS)).isFalse();
    fenced.release();
    assertThat(plain.acquire(10, TimeUnit.SECONDS)).isTrue();
    plain.release();
  }

  @Test
  void inStep3TheLateWriteOfAnInstanceOfStep1StillLands() throws Exception {
    new InterProcessFencedMutex(old, PATH).acquire();
    long read = balance();
    zookeeper.expire(old);

    fencedDeposit();
    plainWrite(read + 1);

    assertThat(balance()).as("the deposit of 5 is lost").isEqualTo(101);
  }

  @Test
  void fromStep4OnTheLateWriteIsRefused() throws Exception {
    FencedResource stale =
        fence.raise(RESOURCE, new InterProcessFencedMutex(old, PATH).acquireAndGetToken());
    long read = stale.inTransaction(RollingSwitchTest::balance);
    zookeeper.expire(old);

    fencedDeposit();

    assertThatThrownBy(() -> stale.inTransaction(connection -> write(connection, read + 1)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void fromTheFirstInstanceThatGoesBackTheLateWriteLandsAgain() throws Exception {
    FencedResource stale =
        fence.raise(RESOURCE, new InterProcessFencedMutex(old, PATH).acquireAndGetToken());
    long read = stale.inTransaction(RollingSwitchTest::balance);
    zookeeper.expire(old);

    InterProcessMutex plain = new InterProcessMutex(successor, PATH);
    assertThat(plain.acquire(10, TimeUnit.SECONDS)).isTrue();
    plainWrite(balance() + 5);
    plain.release();
    stale.inTransaction(connection -> write(connection, read + 1));

    assertThat(balance()).as("the deposit of 5 is lost").isEqualTo(101);
    // And when the switch is made again, the guard table that was left there does not mind.
    fencedDeposit();
    assertThat(balance()).isEqualTo(106);
  }

  private void fencedDeposit() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(successor, PATH);
    FencedResource account = fence.raise(RESOURCE, mutex.acquireAndGetToken());
    account.inTransaction(connection -> write(connection, balance(connection) + 5));
    mutex.release();
  }

  private void plainWrite(long balance) throws SQLException {
    try (Connection connection = database.getConnection()) {
      write(connection, balance);
    }
  }

  private static int write(Connection connection, long balance) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate("UPDATE rolling_switch_account SET balance = " + balance);
    }
  }

  private long balance() throws SQLException {
    try (Connection connection = database.getConnection()) {
      return balance(connection);
    }
  }

  private static long balance(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM rolling_switch_account")) {
      row.next();
      return row.getLong(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
