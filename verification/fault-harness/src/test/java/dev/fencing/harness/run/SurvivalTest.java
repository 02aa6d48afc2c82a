package dev.fencing.harness.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the harness itself has to survive, or at least to end from without a trace. */
@Tag("thorough")
class SurvivalTest {

  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration END = Duration.ofSeconds(90);

  @TempDir private Path directory = Path.of("");

  /**
   * By SIGTERM, which a JVM takes as it takes Ctrl-C: whoever runs this may have SIGINT ignored.
   */
  @Test
  void whenItIsToldToEndItReportsAndNothingIsLeft() throws Exception {
    try (HarnessProcess harness = start("--seconds", "60")) {
      harness.awaitLine(" of 60 s", START);
      harness.noteProcesses().signal("TERM");

      harness.awaitExit(END);

      assertThat(harness.output()).contains("not finished: interrupted").contains("histories: ");
      harness.requireNothingLeft();
    }
  }

  @Test
  void afterItWasKilledNothingIsLeft() throws Exception {
    try (HarnessProcess harness = start("--seconds", "60")) {
      harness.awaitLine(" of 60 s", START);
      harness.noteProcesses().signal("KILL");

      harness.awaitExit(END);

      harness.requireNothingLeft();
    }
  }

  /** At a time at which it has not been told yet which process its database is. */
  @Test
  void afterItWasKilledWhileItsDatabaseStartedNothingIsLeft() throws Exception {
    try (HarnessProcess harness = start("--seconds", "60")) {
      harness.awaitProcess("bin/postgres -D", START);
      harness.noteProcesses().signal("KILL");

      harness.awaitExit(END);

      harness.requireNothingLeft();
    }
  }

  @Test
  void whenTheHistoryCannotBeWrittenItSaysSoAndNothingIsLeft() throws Exception {
    try (HarnessProcess harness =
        start("--seconds", "60", "--worker-option", "-Dfencing.harness.history=/dev/full")) {
      harness.awaitLine("P1 counter, 60 s", START);
      harness.noteProcesses();

      assertThat(harness.awaitExit(END)).isEqualTo(Harness.UNFINISHED);

      assertThat(harness.output())
          .contains("not finished: worker ")
          .contains("the history cannot be written")
          .contains("No space left on device");
      harness.requireNothingLeft();
    }
  }

  private HarnessProcess start(String... args) throws Exception {
    String[] all = new String[args.length + 6];
    System.arraycopy(
        new String[] {"--arms", "P1", "--workload", "counter", "--seed", "7"}, 0, all, 0, 6);
    System.arraycopy(args, 0, all, 6, args.length);
    return HarnessProcess.start(directory, all);
  }
}
