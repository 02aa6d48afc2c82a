package dev.fencing.examples.job.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each is one line, an exit code of its own, and nothing is started or written. */
class BadInputTest {

  private static final String URL = "jdbc:postgresql://127.0.0.1:";

  private final Path directory;

  BadInputTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void nothingIsWritten() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.filter(file -> file.toString().endsWith(".html"))).isEmpty();
    }
    assertThat(ProcessHandle.current().children())
        .noneMatch(child -> child.info().commandLine().orElse("").contains("fencing-demo-"));
  }

  @Test
  void aMissingAccountsFileIsNamed() {
    Path missing = directory.resolve("missing.csv");

    assertRefused(missing + " does not exist", "--accounts", missing.toString());
  }

  @Test
  void aMalformedAccountsFileIsNamedWithItsLine() throws IOException {
    Path csv = Files.writeString(directory.resolve("a.csv"), "account,balance\nA,1\nB,-1\n");

    assertRefused(csv + " line 3: the amount -1 is negative", "--accounts", csv.toString());
  }

  @Test
  void tooFewAccountsForTheStoryAreRefused() throws IOException {
    Path csv = DemoRun.write(directory.resolve("a.csv"), DemoRun.accounts(9));

    assertRefused(
        csv + " has 9 accounts; the story needs at least 10", "--accounts", csv.toString());
  }

  @Test
  void aReportThatWouldOverwriteTheAccountsIsRefused() throws IOException {
    Path csv = DemoRun.write(directory.resolve("a.csv"), DemoRun.accounts(10));

    assertRefused(
        "--report would overwrite the accounts in " + csv + "; name another file",
        "--accounts",
        csv.toString(),
        "--report",
        csv.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--frozen|Unknown option: '--frozen'; --help shows the options",
        "--accounts|Missing required parameter for option '--accounts' (FILE); --help shows the options",
        "accounts.csv|Unmatched argument at index 1: 'accounts.csv'; --help shows the options",
        "--user x|--user, --password and --reset are for a database that is given by --jdbc-url",
        "--reset|--user, --password and --reset are for a database that is given by --jdbc-url",
        "--jdbc-url jdbc:postgresql://h/d|--jdbc-url needs --user",
        "--user x --jdbc-url jdbc:mysql://h|--jdbc-url must begin with jdbc:postgresql: but is"
            + " \"jdbc:mysql://h\"",
        "--zookeeper h:port|\"h:port\" is no ZooKeeper address host:port",
        "--report /|the picture cannot be written to /"
      })
  void wrongOptionsAreRefused(String args, String message) {
    assertRefused(message, args.split(" ", -1));
  }

  @Test
  void aZooKeeperThatDoesNotAnswerIsNamedWithTheTime() throws IOException {
    String nobody = "127.0.0.1:" + closedPort();

    assertRefused("ZooKeeper at " + nobody + " did not answer within 5 s", "--zookeeper", nobody);
  }

  @Test
  void aDatabaseThatRefusesTheConnectionIsNamedWithTheTime() throws Exception {
    String url = URL + closedPort() + "/ledger";
    try (TestZooKeeper zookeeper = TestZooKeeper.start()) {
      DemoRun run = run("--zookeeper", zookeeper.address(), "--jdbc-url", url, "--user", "me");

      assertThat(run.exit()).isEqualTo(DemoException.BAD_INPUT);
      assertThat(run.err())
          .matches(
              "leader-election-job: no connection to the database \\Q"
                  + url
                  + "\\E as me after"
                  + " \\d\\.\\d s: .*refused.*\\n");
    }
  }

  @Test
  void aDatabaseThatStaysSilentIsGivenUpInTime() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(PostgresServer.shared().port())) {
      proxy.silence();
      String url = URL + proxy.port() + "/postgres?password=secret";

      DemoRun run = run("--jdbc-url", url, "--user", "postgres");

      assertThat(run.exit()).isEqualTo(DemoException.BAD_INPUT);
      assertThat(run.err())
          .contains(URL + proxy.port() + "/postgres as postgres after 5.")
          .doesNotContain("secret")
          .hasLineCount(1);
    }
  }

  @Test
  void aUserWhoMayNotCreateTablesIsToldSo() throws Exception {
    execute("CREATE ROLE fencing_demo_reader LOGIN");
    try (TestZooKeeper zookeeper = TestZooKeeper.start()) {
      DemoRun run =
          run(
              "--zookeeper",
              zookeeper.address(),
              "--jdbc-url",
              PostgresServer.shared().url(),
              "--user",
              "fencing_demo_reader");

      assertThat(run.err())
          .startsWith("leader-election-job: the tables cannot be created: ERROR: permission denied")
          .hasLineCount(1);
      assertThat(run.exit()).isEqualTo(DemoException.BAD_INPUT);
    } finally {
      execute("DROP ROLE fencing_demo_reader");
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = PostgresServer.shared().dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void assertRefused(String message, String... args) {
    DemoRun run = run(args);

    assertThat(run.err()).isEqualTo("leader-election-job: " + message + "\n");
    assertThat(run.out()).isEmpty();
    assertThat(run.exit()).isEqualTo(DemoException.BAD_INPUT);
  }

  private DemoRun run(String... args) {
    Stream<String> report =
        Stream.of(args).anyMatch("--report"::equals)
            ? Stream.of()
            : Stream.of("--report=" + directory.resolve("page.html"));
    return DemoRun.of(Stream.concat(report, Stream.of(args)).toArray(String[]::new));
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
