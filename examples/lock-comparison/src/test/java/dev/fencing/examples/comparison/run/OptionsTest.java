package dev.fencing.examples.comparison.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.arm.Arm;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class OptionsTest {

  private String said = "";

  @Test
  void listsEveryArmWithItsPromise() {
    assertThat(run("--list")).isZero();
    for (Arm arm : Arm.values()) {
      assertThat(said).contains(arm + " ", arm.promise());
    }
  }

  @Test
  void showsItsOptions() {
    assertThat(run("--help")).isZero();
    assertThat(said).contains("--arms", "--full", "--pause-probability", "--database");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--arms redlok | there is no arm \"redlok\"; --list shows them",
        "--pause-probability 1.5 | --pause-probability must be from 0 to 1",
        "--transactions 0 | --transactions must be from 1 to 100000",
        "--longest-pause 0.1 | --longest-pause must not be less than --shortest-pause",
        "--at-once 0 | --at-once must be at least 1",
        "--think-millis -1 | --think-millis must not be negative",
        "--database oracle | --database",
        "--frozen | --frozen"
      })
  void saysWhatIsWrongWithAnOption(String args, String message) {
    assertThat(run(args.split(" ", -1))).isEqualTo(2);
    assertThat(said).startsWith("lock-comparison: ").contains(message, "--help shows the options");
  }

  @Test
  void anArmThatIsNamedTwiceIsRunOnce() {
    Options options = new Options();
    options.names = List.of("none", "redlock", "none");
    assertThat(options.arms()).containsExactly(Arm.NONE, Arm.REDLOCK);
  }

  private int run(String... args) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      int exit = Comparison.run(out, out, args);
      said = bytes.toString(StandardCharsets.UTF_8);
      return exit;
    }
  }
}
