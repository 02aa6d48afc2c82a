package dev.fencing.examples.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.examples.job.demo.TestZooKeeper;
import dev.fencing.fixtures.ChildJvm;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.FencedResource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole product in one test: a process sleeps past its session, and its write is refused. */
class StaleHolderTest {

  private static final Duration BOUND = Duration.ofSeconds(30);

  private final DataSource database = PostgresServer.shared().dataSource();

  @BeforeEach
  void openAnAccount() throws SQLException {
    execute("CREATE TABLE stale_holder_account (balance bigint)");
    execute("INSERT INTO stale_holder_account VALUES (100)");
    StaleHolder.fence(database).createSchema();
  }

  @AfterEach
  void dropTheTables() throws SQLException {
    execute("DROP TABLE stale_holder_account, " + StaleHolder.FENCE);
  }

  @Test
  void theLateWriteOfAFrozenHolderChangesNothingAndNamesBothTokens() throws Exception {
    try (TestZooKeeper zookeeper = TestZooKeeper.start();
        ChildJvm frozen =
            ChildJvm.start(
                StaleHolder.class,
                zookeeper.address(),
                Integer.toString(PostgresServer.shared().port()));
        CuratorFramework client = TestZooKeeper.connect(zookeeper.address())) {
      // The first holder acquires, raises, reads 100, and looks at its lease once more.
      assertThat(frozen.readLine(BOUND)).isEqualTo("read 100");
      long oldToken = number(frozen.readLine(BOUND), "token ");
      assertThat(frozen.readLine(BOUND)).isEqualTo("live true");
      frozen.freeze();

      // Its session expires, so that the second holder gets the lock and deposits 50.
      var mutex = new InterProcessFencedMutex(client, StaleHolder.LOCK);
      try (FencedLease lease = mutex.acquireLease(BOUND).orElseThrow()) {
        assertThat(lease.token()).isGreaterThan(oldToken);
        FencedResource account =
            StaleHolder.fence(database).raise(StaleHolder.RESOURCE, lease.token());
        account.inTransaction(connection -> StaleHolder.write(connection, 150));

        // The first one wakes, and writes what it computed from what it read.
        frozen.send("write 110");
        frozen.thaw();
        assertThat(frozen.readLine(BOUND))
            .startsWith("StaleTokenException ")
            .contains("presented " + oldToken, "the fence is at " + lease.token());
        assertThat(balance()).isEqualTo(150);
      }
    }
  }

  private static long number(String line, String prefix) {
    assertThat(line).startsWith(prefix);
    return Long.parseLong(line.substring(prefix.length()));
  }

  private long balance() throws SQLException {
    try (Connection connection = database.getConnection()) {
      return StaleHolder.read(connection);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
