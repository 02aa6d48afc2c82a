package dev.fencing.examples.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.curator.FencingToken;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.spring.FencedTemplate;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The page in a real browser. */
class PageTest {

  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Duration BOUND = Duration.ofSeconds(60);

  private static @Nullable ChromeDriver started;

  private final Bank bank = Bank.open();

  @BeforeAll
  static void startBrowser(@TempDir Path profile) {
    assumeTrue(
        Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER),
        "the page is tested with %s and %s, and they are not both there"
            .formatted(BROWSER, DRIVER));
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BROWSER.toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + profile);
    // With the driver named, nothing is looked for elsewhere.
    started =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(DRIVER.toString()))
                .usingAnyFreePort()
                .build(),
            options);
  }

  @AfterAll
  static void quitBrowser() {
    if (started != null) {
      started.quit();
      await()
          .atMost(BOUND)
          .until(
              () ->
                  ProcessHandle.current()
                      .descendants()
                      .noneMatch(child -> child.info().command().orElse("").contains("chrom")));
    }
  }

  private static ChromeDriver browser() {
    return Objects.requireNonNull(started);
  }

  @BeforeEach
  void open() {
    browser().get(bank.url(1));
  }

  /** The text of a process's card, or of a row of a table; empty if there is none. */
  private static String text(String selector, String beginning) {
    try {
      return browser().findElements(By.cssSelector(selector)).stream()
          .map(WebElement::getText)
          .filter(text -> text.contains(beginning))
          .findFirst()
          .orElse("");
    } catch (StaleElementReferenceException e) {
      return ""; // The page has drawn it anew meanwhile.
    }
  }

  private static void awaitText(String selector, String beginning, Predicate<String> right) {
    await().atMost(BOUND).until(() -> text(selector, beginning), right);
  }

  @Test
  void whatAnyProcessHoldsIsShownWithItsTokenForAsLongAsItHoldsIt() throws Exception {
    awaitText(".process", "bank-a", text -> text.contains("holds nothing"));
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<Long> token = new CompletableFuture<>();
    CompletableFuture<Boolean> holder =
        CompletableFuture.supplyAsync(
            () ->
                bank.bean(FencedTemplate.class)
                    .run(
                        TransferService.resource(5),
                        hold -> {
                          token.complete(hold.token());
                          return awaits(mayEnd);
                        }));
    String held = "account/5, token " + token.get(60, TimeUnit.SECONDS);

    awaitText(".process", "bank-a", text -> text.contains(held));
    awaitText(
        "#fences tr",
        "account/5 ",
        text ->
            text.startsWith("account/5 " + token.join() + " bank-a") && text.endsWith("bank-a 0"));
    awaitText(".process", "bank-b", text -> text.endsWith("answers\nholds nothing"));

    mayEnd.countDown();
    assertThat(holder.get(60, TimeUnit.SECONDS)).isTrue();
    awaitText(".process", "bank-a", text -> text.contains("holds nothing"));
    awaitText(
        "#fences tr", "account/5 ", text -> text.endsWith(" 0") && !text.endsWith("bank-a 0"));
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRefusedRequestAppearsWithBothTokens() {
    assertThat(bank.transfer(0, UUID.randomUUID(), 1, 2, 5, null).status()).isEqualTo(200);
    String seen =
        Objects.requireNonNull(bank.get(0, "/accounts/1").headers().getFirst("Fencing-Token"));
    assertThat(bank.transfer(1, UUID.randomUUID(), 1, 2, 5, null).status()).isEqualTo(200);
    long stored = bank.number("SELECT token FROM account WHERE id = 1");

    assertThat(bank.transfer(0, UUID.randomUUID(), 1, 2, 5, seen).status()).isEqualTo(412);

    String row = "bank-a account/1 %d %d".formatted(FencingToken.parse(seen).token(), stored);
    awaitText("#refusals tr", row, text -> text.endsWith(row));
  }

  @Test
  void aRefusedHolderAppearsWithBothTokens() {
    String resource = TransferService.resource(6);
    AccountRepository accounts = bank.bean(AccountRepository.class);
    long[] tokens = new long[1];
    assertThatThrownBy(
            () ->
                bank.bean(FencedTemplate.class)
                    .execute(
                        resource,
                        hold -> {
                          tokens[0] = hold.token();
                          bank.bean(1, JdbcFence.class)
                              .raise(resource, hold.token() + 1, hold.lockPath());
                          accounts.findById(6L).orElseThrow().receive(5, hold.token());
                          return 0;
                        }))
        .isInstanceOf(StaleTokenException.class);

    String row = "bank-a %s %d %d".formatted(resource, tokens[0], tokens[0] + 1);
    awaitText("#refusals tr", row, text -> text.endsWith(row));
    assertThat(bank.cents(6)).isEqualTo(Bank.OPENING);
  }

  @Test
  void aProcessThatDoesNotAnswerIsSaidToBeSilent() {
    awaitText(".process", bank.url(2), text -> text.contains("no answer for"));
    awaitText(".process", "bank-a", text -> text.contains("answers"));
    awaitText(".process", "bank-b", text -> text.contains("answers"));
  }
}
