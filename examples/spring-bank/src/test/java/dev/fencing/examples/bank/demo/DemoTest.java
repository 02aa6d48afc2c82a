package dev.fencing.examples.bank.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole story with two real processes, and what its command line refuses. */
@Tag("thorough")
class DemoTest {

  private static final Duration BOUND = Duration.ofMinutes(4);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return Demo.run(
        new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), arguments);
  }

  private String out() {
    return out.toString(UTF_8);
  }

  @Test
  void oneProcessIsFrozenAndTheOtherKilledUnderLoadAndNoMoneyIsLost() throws Exception {
    CompletableFuture<Integer> exit = new CompletableFuture<>();
    Thread demo =
        new Thread(() -> exit.complete(run("--rounds", "1", "--clients", "4", "--stay")), "demo");
    demo.start();
    await().atMost(BOUND).until(() -> exit.isDone() || out().contains("goes on until Ctrl-C"));
    if (!exit.isDone()) {
      String url = match("Page: (\\S+)").group(1);
      HttpRequest page = HttpRequest.newBuilder(URI.create(url)).build();
      assertThat(HttpClient.newHttpClient().send(page, BodyHandlers.ofString()).body())
          .contains("Who holds what");
      demo.interrupt();
    }

    assertThat(exit.get(BOUND.toSeconds(), TimeUnit.SECONDS)).as(out() + err).isZero();
    assertThat(err.toString(UTF_8)).isEmpty();
    Matcher refused =
        match("answered 412: account/(?:9|10), presented token (\\d+), stored token (\\d+)");
    assertThat(Long.parseLong(refused.group(1))).isLessThan(Long.parseLong(refused.group(2)));
    assertThat(out())
        .containsSubsequence(
            "bank-a is frozen",
            "bank-b has got the locks",
            "bank-a is awake",
            "bank-a moves money again",
            "bank-b is killed",
            "bank-b is started again",
            "10,000,000.00 in 10 accounts, 10,000,000.00 at the start",
            "0 of them in the ledger; 1 of a holder that was frozen",
            "The ledger is right.");
    assertThat(match("done +([\\d,]+) transfers").group(1)).isNotEqualTo("0");
    assertNothingIsLeft();
  }

  private Matcher match(String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(out());
    assertThat(matcher.find()).as(pattern + " in " + out()).isTrue();
    return matcher;
  }

  private static void assertNothingIsLeft() throws Exception {
    assertThat(
            ProcessHandle.current()
                .descendants()
                .filter(child -> child.info().commandLine().orElse("").contains("fencing-bank-")))
        .isEmpty();
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("fencing-bank-")))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--rounds=-1, --rounds must be 0 to 1000 but is -1",
    "--rounds=1001, --rounds must be 0 to 1000 but is 1001",
    "--rounds=x, Invalid value for option '--rounds'",
    "--clients=0, --clients must be 1 to 100 but is 0",
    "--clients=101, --clients must be 1 to 100 but is 101",
    "--nonsense, Unknown option: '--nonsense'",
    "nonsense, Unmatched argument at index 0: 'nonsense'"
  })
  void aWrongArgumentIsSaidInOneLineAndNothingIsStarted(String argument, String message) {
    assertThat(run(argument)).isEqualTo(2);

    assertThat(err.toString(UTF_8))
        .startsWith("spring-bank: " + message)
        .endsWith("--help shows the options\n")
        .hasLineCount(1);
    assertThat(out()).isEmpty();
  }

  @Test
  void helpNamesTheOptions() {
    assertThat(run("--help")).isZero();

    assertThat(out()).contains("--rounds", "--clients", "--stay");
  }
}
