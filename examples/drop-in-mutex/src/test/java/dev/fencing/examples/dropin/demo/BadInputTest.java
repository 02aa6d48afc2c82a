package dev.fencing.examples.dropin.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.job.demo.DemoException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each is one line and an exit code of its own, and nothing is started. */
class BadInputTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--unfenced|Unknown option: '--unfenced'; --help shows the options",
        "10|Unmatched argument at index 0: '10'; --help shows the options",
        "--orders|Missing required parameter for option '--orders' (COUNT); --help shows the options",
        "--orders ten|Invalid value for option '--orders': 'ten' is not an int; --help shows the"
            + " options",
        "--orders 4|--orders must be 5 to 1000 but is 4",
        "--orders 1001|--orders must be 5 to 1000 but is 1001"
      })
  void wrongArgumentsAreRefused(String args, String message) {
    Run run = Run.of(args.split(" ", -1));

    assertThat(run.err()).isEqualTo("drop-in-mutex: " + message + "\n");
    assertThat(run.out()).isEmpty();
    assertThat(run.exit()).isEqualTo(DemoException.BAD_INPUT);
  }
}
