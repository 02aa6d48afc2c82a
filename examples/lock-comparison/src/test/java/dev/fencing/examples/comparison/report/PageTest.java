package dev.fencing.examples.comparison.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.fencing.examples.comparison.history.ArmRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest {

  private static @Nullable Browser browser;
  private static @Nullable Path page;
  private static boolean isOpen;

  @BeforeAll
  static void open(@TempDir Path directory) throws IOException {
    browser = Browser.start(directory.resolve("profile"));
    page = directory.resolve("report.html");
    Sample.report().writeHtml(page);
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private static Browser opened(String scheme) {
    Browser browser = PageTest.browser;
    if (browser == null || page == null) {
      throw new AssertionError("it was not started");
    }
    // The page draws itself anew when the scheme changes.
    browser.setColourScheme(scheme);
    if (!isOpen) {
      browser.open(page);
      isOpen = true;
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> scheme.equals(browser.eval("document.documentElement.dataset.drawn")));
    return browser;
  }

  @Test
  void thePageNeedsNoOtherFileAndComplainsOfNothing() {
    Browser browser = opened("light");
    opened("dark");

    assertThat(browser.eval("performance.getEntriesByType('resource').length")).isEqualTo(0L);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void theTableHasTheNumbersOfEachArm() {
    Browser browser = opened("light");

    // 19 of the 200 landed updates are lost.
    assertThat(cells(browser, "Redis SET NX, released by script"))
        .containsExactly(
            "Redis SET NX, released by script",
            "9.50 %",
            "19 of 200",
            "19 / 0",
            "19",
            "21, 19",
            "0/0/0/0");
    assertThat(cells(browser, "fenced mutex, row mode"))
        .containsExactly(
            "fenced mutex, row mode", "0.00 %", "0 of 191", "9 / 9", "9", "11, 9", "0/0/0/0");
  }

  @Test
  void textOfAnArmIsShownAndNotObeyed() {
    Browser browser = opened("light");

    assertThat(cells(browser, Sample.HOSTILE)).first().isEqualTo(Sample.HOSTILE);
    assertThat(browser.eval("document.querySelectorAll('td b, dt b').length")).isEqualTo(0L);
    assertThat(texts(browser, "#lost")).anyMatch(text -> text.startsWith("<b>\"bold\"</b>"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lost", "uncontended", "delayed", "contended", "waited"})
  void eachChartNamesEachArmAndItsUnit(String chart) {
    List<String> texts = texts(opened("light"), "#" + chart);

    assertThat(texts)
        .contains("no lock", "Redlock on five servers", "Redis primary and replica, failover")
        .contains(chart.equals("lost") ? "lost updates, % of those that landed" : "milliseconds");
  }

  @Test
  void theBarsAreAsLongAsTheSharesTheyShow() {
    Browser browser = opened("light");
    String width =
        """
        (() => { const lost = name => data.arms.find(arm => arm.name === name).lostPercent;
          const data = JSON.parse(document.getElementById('data').textContent);
          const fills = [...document.querySelectorAll('#lost svg path')]
            .filter(path => path.getAttribute('fill') === getComputedStyle(
              document.documentElement).getPropertyValue('--lease').trim())
            .map(path => path.getBoundingClientRect()).filter(box => box.width > 30)
            .sort((a, b) => a.top - b.top);
          return fills[0].width / fills[1].width; })()
        """;

    // 19 and 25 of 200: the two arms after "no lock".
    assertThat((Double) browser.eval(width)).isCloseTo(19.0 / 25.0, within(0.01));
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void noLabelLiesOnAnother(String scheme) {
    String overlaps =
        """
        [...document.querySelectorAll('.chart svg')].flatMap(svg => {
          const texts = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim())
            .map(text => ({ box: text.getBoundingClientRect(), said: text.textContent }));
          return texts.flatMap((one, i) => texts.slice(i + 1)
            .filter(two => one.box.left < two.box.right - 1 && two.box.left < one.box.right - 1
              && one.box.top < two.box.bottom - 3 && two.box.top < one.box.bottom - 3)
            .map(two => one.said + ' | ' + two.said)); })
        """;

    assertThat((List<?>) opened(scheme).eval(overlaps)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void noLabelLeavesItsChart(String scheme) {
    String outside =
        """
        [...document.querySelectorAll('.chart svg')].flatMap(svg => {
          const chart = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.width > 0 && (box.left < chart.left - 1 || box.right > chart.right + 1
              || box.top < chart.top - 1 || box.bottom > chart.bottom + 1); })
            .map(text => text.textContent); })
        """;

    assertThat((List<?>) opened(scheme).eval(outside)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void everyTextStandsOutFromWhatItIsOn(String scheme) {
    // The contrast that WCAG asks of text: 4.5 to 1. A label within a bar is on the bar.
    String faint =
        """
        (() => { const probe = document.createElement('canvas')
            .getContext('2d', { willReadFrequently: true });
          const rgb = colour => { probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour;
            probe.fillRect(0, 0, 1, 1); return [...probe.getImageData(0, 0, 1, 1).data]; };
          const light = colour => { const [r, g, b] = rgb(colour).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const contrast = (one, two) => { const [a, b] = [light(one), light(two)];
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
          const back = element => { for (let e = element; e; e = e.parentElement) {
            const colour = getComputedStyle(e).backgroundColor;
            if (rgb(colour)[3] === 255) { return colour; } } return 'white'; };
          const stop = getComputedStyle(document.documentElement).getPropertyValue('--stop');
          return [...document.querySelectorAll('h1, h2, h3, p, td, th, li, dt, dd, span, text')]
            .filter(e => e.textContent.trim())
            .filter(e => contrast(e.tagName === 'text' ? e.getAttribute('fill')
                : getComputedStyle(e).color,
              e.textContent === 'process stopped' ? stop.trim() : back(e)) < 4.5)
            .map(e => e.textContent); })()
        """;

    assertThat((List<?>) opened(scheme).eval(faint)).isEmpty();
  }

  @Test
  void aStoryIsToldInTheOrderInWhichItHappened() {
    Browser browser = opened("light");
    String steps =
        """
        [...document.querySelectorAll('.story')].map(story =>
          [...story.querySelectorAll('tbody tr')].map(row =>
            [...row.cells].slice(1).map(cell => cell.textContent).join('|')))
        """;

    List<?> stories = (List<?>) browser.eval(steps);
    assertThat(stories).hasSize(2);
    assertThat(strings(stories.get(0)))
        .satisfiesExactly(
            step -> assertThat(step).isEqualTo("gets the lock of alice||"),
            step -> assertThat(step).startsWith("reads|balance "),
            step -> assertThat(step).isEqualTo("its process is stopped||"),
            step -> assertThat(step).contains("the lease of client 1 is over, after 3.00 s"),
            step -> assertThat(step).isEqualTo("||gets the same lock"),
            step -> assertThat(step).matches("\\|balance [0-9,]+\\|reads"),
            step -> assertThat(step).matches("\\|balance [0-9,]+\\|writes .*"),
            step -> assertThat(step).startsWith("goes on; it cannot know"),
            step -> assertThat(step).endsWith("of client 2 is gone|"));
    assertThat(strings(stories.get(1)).get(8))
        .matches("tries to write .* with token ([0-9]+)\\|refused: it has seen token [0-9]+\\|");
  }

  @Test
  void aReportOfNothingIsDrawnWithoutComplaint(@TempDir Path directory) throws IOException {
    Browser browser = opened("light");
    ArmRun nothing = Histories.run("nobody wrote", List.of(), List.of());
    for (List<ArmResult> results :
        List.of(
            List.<ArmResult>of(),
            List.of(
                new ArmResult(Protection.LEASE, Published.REDIS, List.of(nothing), null, null)))) {
      Path file = directory.resolve(results.size() + ".html");
      new Report(Sample.circumstances(), results, Sample.skipped()).writeHtml(file);
      isOpen = false;
      browser.open(file);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  Boolean.TRUE.equals(browser.eval("'drawn' in document.documentElement.dataset")));
      assertThat(browser.eval("document.getElementById('uncontended').textContent"))
          .isEqualTo("Not measured in this run.");
      assertThat(
              browser.eval(
                  "JSON.parse(document.getElementById('data').textContent).arms"
                      + ".every(arm => arm.lostPercent === null)"))
          .isEqualTo(true);
      assertThat(browser.complaints()).isEmpty();
    }
  }

  private static List<String> strings(Object list) {
    return ((List<?>) list).stream().map(String::valueOf).toList();
  }

  private static List<String> cells(Browser browser, String arm) {
    String row =
        """
        [...[...document.querySelectorAll('tbody tr')]
          .find(row => row.cells[0].textContent === %s).cells].map(cell => cell.textContent)
        """;
    return strings(browser.eval(row.formatted("'" + arm.replace("/", "\\/") + "'")));
  }

  private static List<String> texts(Browser browser, String selector) {
    return strings(
        browser.eval(
            "[...document.querySelectorAll('%s svg text')].map(text => text.textContent)"
                .formatted(selector)));
  }
}
