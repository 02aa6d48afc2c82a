package dev.fencing.examples.job.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However the demo is ended, no process and no file of it stays. */
@TestInstance(Lifecycle.PER_CLASS) // so that PostgreSQL's programs are unpacked once
@Tag("thorough")
class InterruptTest {

  private static final Duration BOUND = Duration.ofSeconds(30);

  private final Path temporary;

  InterruptTest(@TempDir Path temporary) {
    this.temporary = temporary;
  }

  @ParameterizedTest
  @CsvSource({
    "INT, Interest for, 1, 130", // before any server is up
    "INT, ZooKeeper is ready, 2, 130", // while PostgreSQL is made or started
    "TERM, starting 3 workers, 3, 143",
    "INT, SIGSTOP between, 6, 130", // with a stopped worker
    "KILL, SIGSTOP between, 6, 137"
  })
  void nothingIsLeft(String signal, String moment, int running, int exit) throws Exception {
    Process demo = start();
    try (BufferedReader output = demo.inputReader(StandardCharsets.UTF_8)) {
      awaitLine(output, moment);
      // The demo, then the process of the servers, PostgreSQL and the workers.
      assertThat(processes()).hasSizeGreaterThanOrEqualTo(running);
      signal(signal, demo);

      assertThat(demo.waitFor()).isEqualTo(exit);
      await().atMost(BOUND).untilAsserted(() -> assertThat(processes()).isEmpty());
      await().atMost(BOUND).untilAsserted(() -> assertThat(runDirectories()).isEmpty());
    } finally {
      demo.destroyForcibly();
    }
  }

  private Process start() throws IOException {
    List<String> command = new ArrayList<>();
    if (ignoresInterrupts()) {
      // Inherited from a shell that started this build in the background; a terminal's demo does
      // not.
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + temporary,
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Demo.class.getName(),
            "--report",
            temporary.resolve("page.html").toString()));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static boolean ignoresInterrupts() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    long sigint = 1L << 1;
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("SigIgn:"))
        .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & sigint) != 0);
  }

  private static void awaitLine(BufferedReader output, String text) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.contains(text)) {
        return;
      }
    }
    throw new AssertionError("the demo ended without \"" + text + "\"");
  }

  private static void signal(String name, Process process)
      throws IOException, InterruptedException {
    String kill = "kill -" + name + " " + process.pid();
    assertThat(new ProcessBuilder("sh", "-c", kill).start().waitFor()).isZero();
  }

  private List<String> processes() {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.contains(temporary.toString()))
        .toList();
  }

  private List<Path> runDirectories() {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.filter(file -> !file.getFileName().toString().contains("postgres")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
