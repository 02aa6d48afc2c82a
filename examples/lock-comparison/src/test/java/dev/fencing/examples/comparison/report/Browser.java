package dev.fencing.examples.comparison.report;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** A browser without a window, of the machine's own; nothing is downloaded for it. */
final class Browser implements AutoCloseable {

  private final ChromeDriver driver;

  private Browser(Path browser, Path driverProgram, Path profile) {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,1000",
        "--user-data-dir=" + profile);
    options.setCapability("goog:loggingPrefs", Map.of(LogType.BROWSER, "ALL"));
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(driverProgram.toFile())
                .withTimeout(Duration.ofSeconds(60))
                .build(),
            options);
    driver.manage().timeouts().pageLoadTimeout(Duration.ofSeconds(60));
  }

  /** Skips the test where there is no browser, or no driver for it. */
  static Browser start(Path profile) {
    Path browser = program("chromium", "chromium-browser", "google-chrome");
    Path driver = program("chromedriver");
    assumeTrue(
        Files.isExecutable(browser) && Files.isExecutable(driver),
        "no chromium and chromedriver on the PATH: the page is not looked at in a browser");
    return new Browser(browser, driver, profile);
  }

  private static Path program(String... names) {
    return Stream.of(names)
        .flatMap(
            name ->
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                    .map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(Path.of("none"));
  }

  void open(Path page) {
    driver.get(page.toUri().toString());
  }

  void setColourScheme(String scheme) {
    Map<String, Object> feature = Map.of("name", "prefers-color-scheme", "value", scheme);
    driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
  }

  /** Returns what an expression gives. */
  Object eval(String expression) {
    Object result = driver.executeScript("return " + expression);
    if (result == null) {
      throw new AssertionError("nothing came of " + expression);
    }
    return result;
  }

  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::getMessage)
        .toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
