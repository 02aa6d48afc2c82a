package dev.fencing.examples.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.curator.FencedLeaderSelector;
import dev.fencing.curator.FencedLease;
import dev.fencing.curator.FencedRegister;
import dev.fencing.curator.FencingToken;
import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.curator.InterProcessFencedReadWriteLock;
import dev.fencing.examples.job.demo.TestZooKeeper;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.FencedRow;
import dev.fencing.jdbc.FencedRunner;
import dev.fencing.jdbc.FencedTable;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.OperationOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The README's code, but for that of Spring, is the code of these methods, and it runs. */
class ReadmeTest {

  private static final Path ROOT = Path.of("..", "..");

  private final DataSource dataSource = PostgresServer.shared().dataSource();
  private final long interest = 7;
  private final int account = 1;
  private final int entry = 1;
  private final String document = "a document";
  private final CountDownLatch posted = new CountDownLatch(2);

  private TestZooKeeper zooKeeper;
  private CuratorFramework client;
  private InterProcessFencedMutex mutex;

  @BeforeEach
  void start() throws Exception {
    execute(
        "CREATE TABLE readme_account (id int PRIMARY KEY, balance bigint NOT NULL, note text, fencing_token bigint)");
    execute("INSERT INTO readme_account (id, balance) VALUES (1, 100)");
    zooKeeper = TestZooKeeper.start();
    client = TestZooKeeper.connect(zooKeeper.address());
    mutex = new InterProcessFencedMutex(client, "/locks/ledger");
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    zooKeeper.close();
    execute("DROP TABLE IF EXISTS readme_account, fence, fence_operation");
  }

  @Test
  void theMutex() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, "/locks/ledger");
    long token = mutex.acquireAndGetToken();
    try {
      post(entry, token);
    } finally {
      mutex.release();
    }
  }

  @Test
  void leases() throws Exception {
    Thread worker = Thread.currentThread();
    try (FencedLease lease = mutex.acquireLease()) {
      lease.onLost(lost -> worker.interrupt());
      post(entry, lease.token());
    }
  }

  @Test
  void leaderElection() throws Exception {
    JdbcFence fence = JdbcFence.of(dataSource);
    fence.createSchema();
    FencedLeaderSelector election =
        new FencedLeaderSelector(
            client,
            "/election/ledger",
            lease -> {
              FencedResource ledger = fence.raise("ledger", lease.token());
              while (lease.isLive() && !Thread.currentThread().isInterrupted()) {
                ledger.inTransaction(connection -> postNext(connection));
              }
            });
    election.start();
    assertThat(posted.await(20, TimeUnit.SECONDS)).isTrue();
    election.close();
    assertThat(election.state().phase()).isEqualTo(FencedLeaderSelector.Phase.CLOSED);
  }

  @Test
  void readersAndWriters() throws Exception {
    InterProcessFencedReadWriteLock lock =
        new InterProcessFencedReadWriteLock(client, "/locks/ledger");
    InterProcessMutex reading = lock.readLock(); // many at a time, without a token
    InterProcessFencedMutex writing = lock.writeLock(); // one alone, with a token
    reading.acquire();
    reading.release();
    assertThat(writing.acquireAndGetToken()).isPositive();
    writing.release();
  }

  @Test
  void aServiceThatIsNotADatabase() throws Exception {
    try (FencedLease lease = new InterProcessFencedMutex(client, "/locks/printer").acquireLease()) {
      String header = FencingToken.of(lease).toString(); // 25769803790@/locks/printer

      FencedRegister register = FencedRegister.manyWritesPerToken();

      FencingToken token = FencingToken.parse(header);
      register.call("/locks/printer", token, () -> print(document));
      assertThat(register.highest("/locks/printer")).contains(token);
    }
  }

  @Test
  void theFence() throws Exception {
    long token = 33;
    JdbcFence fence = JdbcFence.of(dataSource);
    fence.createSchema();

    FencedResource ledger = fence.raise("ledger", token);
    long balance = ledger.inTransaction(connection -> readBalance(connection, account));
    ledger.inTransaction(connection -> writeBalance(connection, account, balance + interest));
    assertThat(balance()).isEqualTo(107);
  }

  @Test
  void moreOfGuardMode() throws Exception {
    String requestId = "interest of May";
    JdbcFence fence = JdbcFence.of(dataSource);
    fence.createSchema();
    FencedRunner runner = FencedRunner.of(fence, "ledger", mutex::acquireLease, FencedLease::token);
    runner.inTransaction(requestId, Duration.ZERO, connection -> postInterest(connection));
    long token = mutex.acquireAndGetToken();
    mutex.release();

    FencedResource ledger = fence.raise("ledger", token, "/locks/ledger");
    FencedResource audit = fence.raise("audit", token, "/locks/ledger");
    ledger.update("UPDATE readme_account SET note = ? WHERE id = ?", "audited", account);
    fence.inTransaction(List.of(ledger, audit), connection -> postInterest(connection));

    OperationOutcome<Integer> outcome =
        runner.inTransaction(
            requestId, Duration.ofSeconds(30), connection -> postInterest(connection));
    assertThat(outcome).isInstanceOf(OperationOutcome.AlreadyApplied.class);
    assertThat(balance()).isEqualTo(114);
  }

  @Test
  void rowMode() throws Exception {
    long token = 33;
    FencedTable accounts = FencedTable.builder(dataSource, "readme_account").key("id").build();

    FencedRow row = accounts.claim(token, account);
    row.write(Map.of("balance", row.getLong("balance") + interest));

    accounts.overwrite(token, Map.of("note", "audited"), account);
    assertThat(balance()).isEqualTo(107);
  }

  @Test
  void both() throws Exception {
    JdbcFence fence = JdbcFence.of(dataSource);
    fence.createSchema();
    FencedRunner runner = FencedRunner.of(fence, "ledger", mutex::acquireLease, FencedLease::token);

    runner.inTransaction(connection -> postInterest(connection));
    assertThat(balance()).isEqualTo(107);
  }

  @Test
  void underAMapper() throws Exception {
    long token = 33;
    JdbcFence fence = JdbcFence.of(dataSource);
    fence.createSchema();

    DataSource fenced = new FencedDataSource(fence, Unbound.PASS);

    FencedResource ledger = fence.raise("ledger", token);
    ledger.call(hold -> postInterest(fenced));
    assertThat(balance()).isEqualTo(107);
  }

  @Test
  void theReadmeShowsThisCode() throws IOException {
    String code =
        dense(Files.readString(Path.of("src/test/java/dev/fencing/examples/job/ReadmeTest.java")));

    List<String> snippets = blocks("java");

    assertThat(snippets).hasSize(11);
    assertThat(snippets).allSatisfy(snippet -> assertThat(code).contains(dense(snippet)));
  }

  @Test
  void theReadmeShowsTheDdlThatTheLibraryShips() throws IOException {
    String ddl =
        Files.readString(
            ROOT.resolve("jdbc-fencing/src/main/resources/dev/fencing/jdbc/postgresql.sql"));

    assertThat(ddl).contains(blocks("sql").get(0));
  }

  private static List<String> blocks(String language) throws IOException {
    String readme =
        Files.readString(ROOT.resolve("README.md"))
            .replaceFirst("(?s)\n## Spring\n.*?\n## ", "\n## ");
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(readme)
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  /** Without white space, which the formatter and the page lay out each in its own way. */
  private static String dense(String code) {
    return code.replaceAll("\\s+", "");
  }

  private void post(int entry, long token) {
    assertThat(entry).isEqualTo(1);
    assertThat(token).isPositive();
  }

  private int postNext(Connection connection) throws SQLException {
    posted.countDown();
    return postInterest(connection);
  }

  private boolean print(String text) {
    return text.isEmpty();
  }

  private long readBalance(Connection connection, int id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT balance FROM readme_account WHERE id = ?")) {
      statement.setInt(1, id);
      try (ResultSet results = statement.executeQuery()) {
        assertThat(results.next()).isTrue();
        return results.getLong(1);
      }
    }
  }

  private int writeBalance(Connection connection, int id, long balance) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE readme_account SET balance = ? WHERE id = ?")) {
      statement.setLong(1, balance);
      statement.setInt(2, id);
      return statement.executeUpdate();
    }
  }

  private int postInterest(Connection connection) throws SQLException {
    return writeBalance(connection, account, readBalance(connection, account) + interest);
  }

  private int postInterest(DataSource mapped) throws SQLException {
    try (Connection connection = mapped.getConnection()) {
      return postInterest(connection);
    }
  }

  private long balance() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return readBalance(connection, account);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.execute();
    }
  }
}
