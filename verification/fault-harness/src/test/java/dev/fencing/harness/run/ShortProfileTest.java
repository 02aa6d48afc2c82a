package dev.fencing.harness.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The short profile, in which a worker also dies that nobody has planned to kill. */
class ShortProfileTest {

  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration END = Duration.ofSeconds(400);

  /** A lost answer to COMMIT comes early in it; -Dharness.seed tries another. */
  private static final String SEED = System.getProperty("harness.seed", "4");

  @TempDir private Path directory = Path.of("");

  @Test
  void theProductIsValidAndTheMutantsAreCaught() throws Exception {
    try (HarnessProcess harness = HarnessProcess.start(directory, "--seed", SEED)) {
      harness.awaitLine("P1 counter: ", START);
      harness.noteProcesses();
      ProcessHandle victim = harness.workers().get(0);
      victim.destroyForcibly();

      int exit = harness.awaitExit(END);

      assertThat(harness.output()).contains("seed " + SEED);
      assertThat(exit).as(harness.output()).isZero();
      assertThat(secondIncarnations()).as("the worker was started again").isNotEmpty();
      harness.requireNothingLeft();
    }
  }

  private List<Path> secondIncarnations() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("worker-\\d-1\\.edn"))
          .toList();
    }
  }
}
