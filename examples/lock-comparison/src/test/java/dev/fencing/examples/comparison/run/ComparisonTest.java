package dev.fencing.examples.comparison.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fencing.fixtures.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command as it is typed, in a process of its own, and that nothing of it stays. */
@Timeout(300)
@Tag("thorough")
class ComparisonTest {

  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final String ENDLESS = "100000";

  private final Path directory;
  private final List<Process> started = new ArrayList<>();

  ComparisonTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void writesTheReportAndLeavesNothingBehind() throws Exception {
    Process run =
        start(
            "--arms",
            "fenced-row,redis-set-nx",
            "--at-once",
            "2",
            "--transactions",
            "30",
            "--workers",
            "2",
            "--rows",
            "1",
            "--lease-millis",
            "600",
            "--latency-rounds",
            "5");
    assertThat(run.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(said()).contains("fenced-row", "redis-set-nx", "lock-comparison.html");
    assertThat(run.exitValue()).isZero();
    assertThat(out().resolve("lock-comparison.html")).isNotEmptyFile();
    assertThat(out().resolve("lock-comparison.csv"))
        .content()
        .containsSubsequence("\nfenced-row", "\nredis-set-nx");
    assertThat(out().resolve("lock-comparison.txt"))
        .content()
        .contains("arms at once: 2", "The p99 of fenced-row is");
    assertThat(out().resolve("fenced-row-1").resolve("transactions.csv")).isNotEmptyFile();
    assertThat(out().resolve("redis-set-nx-1").resolve("transactions.csv")).isNotEmptyFile();
    assertNothingIsLeft();
  }

  @Test
  void saysWhichServerHasEndedInTheMiddleOfTheRun() throws Exception {
    Process run = startEndless();
    ProcessHandle redis = awaitServer("redis-server");
    await().atMost(BOUND).until(() -> said().contains(" left;"));
    redis.destroyForcibly();
    assertThat(run.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(run.exitValue()).isEqualTo(3);
    assertThat(said())
        .contains("lock-comparison: Redis on port")
        .contains("(process " + redis.pid() + ") has ended in the middle of the run");
    assertNothingIsLeft();
  }

  @Test
  void leavesNothingBehindWhenItIsKilled() throws Exception {
    Process run = startEndless();
    await().atMost(BOUND).until(() -> said().contains(" left;"));
    assertThat(ours()).hasSizeGreaterThan(4);
    Signals.send("KILL", run.pid());
    await().atMost(BOUND).untilAsserted(this::assertNothingIsLeft);
  }

  @Test
  void leavesNothingBehindWhenItIsTerminatedWhileItStarts() throws Exception {
    Process run = startEndless();
    await().atMost(BOUND).until(() -> ours().size() > 1);
    Signals.send("TERM", run.pid());
    assertThat(run.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await().atMost(BOUND).untilAsserted(this::assertNothingIsLeft);
  }

  private Process startEndless() throws IOException {
    return start(
        "--arms", "redis-set-nx", "--transactions", ENDLESS, "--workers", "2", "--rows", "1");
  }

  private Process start(String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx128m");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp")));
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(Comparison.class.getName());
    command.addAll(List.of(args));
    command.add("--out");
    command.add(out().toString());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
    started.add(process);
    return process;
  }

  private ProcessHandle awaitServer(String name) {
    return await()
        .atMost(BOUND)
        .until(
            () -> ours().stream().filter(process -> commandOf(process).contains(name)).findFirst(),
            found -> found.isPresent())
        .orElseThrow();
  }

  /** Every process of a run has the name of its directory in its command line. */
  private List<ProcessHandle> ours() {
    return ProcessHandle.allProcesses()
        .filter(process -> commandOf(process).contains(directory.resolve("tmp").toString()))
        .toList();
  }

  private static String commandOf(ProcessHandle process) {
    return process.info().commandLine().orElse("");
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(ours()).isEmpty();
    try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
      assertThat(files).isEmpty();
    }
  }

  private Path out() {
    return directory.resolve("out");
  }

  private Path log() {
    return directory.resolve("log");
  }

  private String said() throws IOException {
    return Files.readString(log(), StandardCharsets.UTF_8);
  }
}
