package dev.fencing.examples.job.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
class DemoTest {

  private final Path csv;
  private final Path page;

  DemoTest(@TempDir Path directory) throws IOException {
    csv = DemoRun.write(directory.resolve("accounts.csv"), DemoRun.accounts(100));
    page = directory.resolve("new/page.html");
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(children()).isEmpty();
    TestLedger.drop();
  }

  @Test
  void theFencedRunRefusesTheLateWriteAndEveryAccountIsRight() throws Exception {
    DemoRun run = DemoRun.of("--accounts", csv.toString(), "--report", page.toString());

    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("Audit: all 100 accounts are right");
    Matcher tokens =
        Pattern.compile("StaleTokenException: .*presented (\\d+), but the fence is at (\\d+)")
            .matcher(run.out());
    assertThat(tokens.find()).isTrue();
    long stale = Long.parseLong(tokens.group(1));
    long current = Long.parseLong(tokens.group(2));
    assertThat(current).isGreaterThan(stale);
    assertThat(run.out().replaceAll(" +", " "))
        .containsSubsequence(
            "(token " + stale + ") acquired ",
            "(token " + stale + ") frozen ",
            "(token " + stale + ") session expired ",
            "(token " + current + ") taken over ",
            "(token " + stale + ") woken ",
            "refused token " + stale + " is stale, the fence is at " + current);

    JsonNode data = data();
    assertThat(data.get("fenced").asBoolean()).isTrue();
    assertThat(kinds(data))
        .containsExactly(
            "ACQUIRED",
            "FROZEN",
            "SESSION_EXPIRED",
            "TAKEN_OVER",
            "INTEREST",
            "DEPOSIT",
            "WOKEN",
            "REFUSED",
            "FINISHED");
    assertThat(data.get("holds").findValuesAsText("token"))
        .containsExactly(Long.toString(stale), Long.toString(current));
    assertThat(data.get("audit").get("findings")).isEmpty();
    assertThat(Files.readString(page)).doesNotContainPattern("(src|href)\\s*=|url\\(http|@import");
  }

  @Test
  void theUnfencedRunLosesTheDepositAndNamesTheAccount() throws Exception {
    try (TestZooKeeper zookeeper = TestZooKeeper.start()) {
      List<String> args = new ArrayList<>(DemoRun.servers(zookeeper.address()));
      args.addAll(List.of("--unfenced", "--accounts", csv.toString(), "--report", page.toString()));

      DemoRun run = DemoRun.of(args.toArray(String[]::new));

      assertThat(run.err()).isEmpty();
      assertThat(run.exit()).isEqualTo(DemoException.WRONG_LEDGER);
      // Account 42 holds 5184.90; interest is 12.96; the deposit of 500.00 is lost.
      assertThat(run.out())
          .contains("Audit: 1 of 100 accounts WRONG")
          .contains("account T-42: expected 5,697.86, found 5,197.86");
      assertThat(kinds(data())).contains("LATE_WRITE", "LOSS_NOTICED").doesNotContain("REFUSED");
      assertThat(data().get("audit").get("findings").get(0).get("found").asText())
          .isEqualTo("5,197.86");
      assertThatOurNodesAreRemoved(zookeeper);

      // What that run has left in a database that is not ours is not overwritten.
      DemoRun again = DemoRun.of(args.toArray(String[]::new));

      assertThat(again.exit()).isEqualTo(DemoException.BAD_INPUT);
      assertThat(again.err())
          .startsWith("leader-election-job: table fencing_demo_deposit is not empty; --reset drops")
          .hasLineCount(1);
      try (LedgerTables tables = LedgerTables.connect(TestLedger.database())) {
        assertThat(tables.balances()).hasSize(100).containsEntry("T-42", 519_786L);
        tables.create(DemoRun.accounts(10), "job", true);
        assertThat(tables.balances()).hasSize(10).containsEntry("T-10", 123_450L);
      }
    }
  }

  @Test
  void aWorkerThatDiesEndsTheRunWithItsExitCode() throws Exception {
    try (TestZooKeeper zookeeper = TestZooKeeper.start()) {
      List<String> args = new ArrayList<>(DemoRun.servers(zookeeper.address()));
      args.addAll(List.of("--accounts", csv.toString(), "--report", page.toString()));
      CompletableFuture<DemoRun> running =
          CompletableFuture.supplyAsync(() -> DemoRun.of(args.toArray(String[]::new)));

      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> children().stream().anyMatch(DemoTest::isWorker));
      ProcessHandle worker = children().stream().filter(DemoTest::isWorker).findAny().orElseThrow();
      worker.destroyForcibly();

      DemoRun run = running.get(30, TimeUnit.SECONDS);
      assertThat(run.exit()).isEqualTo(DemoException.UNFINISHED);
      assertThat(run.err())
          .matches(
              "leader-election-job: worker-\\d \\(process "
                  + worker.pid()
                  + "\\) died with exit"
                  + " code 137; its last lines: .*\\n");
      assertThat(page).doesNotExist();
    }
  }

  @Test
  void theAuditFindsWrongMissingAndUnknownAccounts() {
    Audit audit =
        Audit.of(
            DemoRun.accounts(3),
            Map.of("T-1", 100L),
            // 12345 + 31 + 100, 24690 + 62 and one cent too much; T-3 is missing
            Map.of("T-1", 12_476L, "T-2", 24_753L, "T-4", 1L));

    assertThat(audit.right()).isFalse();
    assertThat(audit.findings())
        .containsExactly(
            new Audit.Finding("T-2", "247.52", "247.53"),
            new Audit.Finding("T-3", "371.28", null),
            new Audit.Finding("T-4", null, "0.01"));
  }

  private static void assertThatOurNodesAreRemoved(TestZooKeeper zookeeper) throws Exception {
    try (CuratorFramework client = TestZooKeeper.connect(zookeeper.address())) {
      assertThat(client.getChildren().forPath("/fencing-demo")).isEmpty();
    }
  }

  private static List<ProcessHandle> children() {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains("fencing-demo-"))
        .toList();
  }

  private static boolean isWorker(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains("-Xmx64m");
  }

  private static List<String> kinds(JsonNode data) {
    return data.get("events").findValuesAsText("kind");
  }

  private JsonNode data() throws IOException {
    String html = Files.readString(page);
    String start = "<script type=\"application/json\" id=\"data\">";
    int from = html.indexOf(start) + start.length();
    return new JsonMapper().readTree(html.substring(from, html.indexOf("</script>", from)));
  }
}
