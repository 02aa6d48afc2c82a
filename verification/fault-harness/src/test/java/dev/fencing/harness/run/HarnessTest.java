package dev.fencing.harness.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command line. */
class HarnessTest {

  private static final List<String> WRONG =
      List.of(
          "--seed abc",
          "--arms nonsense",
          "--seconds 0",
          "--profile brief",
          "--workload none",
          "--workload lock_only",
          "bogus");

  @Test
  void wrongArgumentExitsWith2AndStartsNothing() {
    for (String arguments : WRONG) {
      ByteArrayOutputStream said = new ByteArrayOutputStream();

      int exit =
          Harness.run(
              new PrintStream(said, true, StandardCharsets.UTF_8), arguments.split(" ", -1));

      assertThat(exit).as(arguments).isEqualTo(Harness.MISUSED);
      assertThat(said.toString(StandardCharsets.UTF_8)).as(arguments).isEmpty();
    }
  }
}
