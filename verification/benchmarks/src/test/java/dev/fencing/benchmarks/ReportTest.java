package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.internal.chartpart.Chart;

class ReportTest {

  private final Findings findings = new Findings();
  private final Report report = new Report(findings, List.of("2 cores"));

  @BeforeEach
  void find() {
    findings.begin("far");
    findings.add("Curator \"plain\"", "cycles/s", Spread.of(100, 123.456, 2_000));
    findings.add("ours / Curator", "×", Spread.of(1.2, 1.4, 1.5), Goal.atLeast(1.35));
  }

  @Test
  void terminalAlignsColumnsAndTellsTheVerdict() {
    assertThat(report.terminal())
        .isEqualTo(
            """
            benchmark  what             unit       min  median    max  goal           verdict
            far        Curator "plain"  cycles/s   100     123  2,000
            far        ours / Curator   ×         1.20    1.40   1.50  at least 1.35  met
            """);
  }

  @Test
  void csvHasFullNumbersAndEscapedQuotes() {
    assertThat(report.csv())
        .isEqualTo(
            """
            benchmark,what,unit,min,median,max,goal,verdict
            "far","Curator ""plain""\","cycles/s",100.0,123.456,2000.0,"",""
            "far","ours / Curator","×",1.2,1.4,1.5,"at least 1.35","met"
            """);
  }

  @Test
  void markdownHasTheCircumstancesAndTheTable() {
    assertThat(report.markdown())
        .contains("* 2 cores\n")
        .contains("| far | ours / Curator | × | 1.20 | 1.40 | 1.50 | at least 1.35 | met |\n")
        .contains("Every goal was met.");
  }

  @Test
  void missedTargetIsNamedEverywhere() {
    findings.add("ours / limit", "×", Spread.of(0.7, 0.8, 0.99), Goal.atLeast(0.9));

    assertThat(findings.allTargetsMet()).isFalse();
    assertThat(report.misses())
        .isEqualTo(
            "MISSED  far, ours / limit: 0.80 instead of at least 0.90, misses by 0.10 (11 %)\n");
    assertThat(report.markdown()).contains("* MISSED  far, ours / limit");
    assertThat(report.csv()).contains("\"MISSED\"");
  }

  @Test
  void missedAimIsNamedButIsNoMissedTarget() {
    findings.add("ours / deletes", "×", Spread.of(0.5), Goal.aimAt(0.75));

    assertThat(findings.allTargetsMet()).isTrue();
    assertThat(report.misses()).startsWith("below the aim  far, ours / deletes: 0.50 instead of");
  }

  @Test
  void plotShowsEveryGoalAndEveryCurve() throws Exception {
    findings.add("a < b & c", "×", Spread.of(0.2, 0.5, 2), Goal.atLeast(0.9));
    for (int waiters : new int[] {8, 512}) {
      findings.addPoint("ours", waiters, 1_000);
      findings.addPoint("Curator", waiters, 8_000.0 / waiters);
    }

    List<Chart<?, ?>> charts = Plot.charts(findings);

    assertThat(charts).hasSize(2);
    assertThat(charts.get(0))
        .isInstanceOfSatisfying(
            CategoryChart.class,
            ratios ->
                assertThat(ratios.getSeriesMap().values())
                    .extracting(series -> series.getYData().toString())
                    .containsExactly(List.of(1.4 / 1.35, 0.5 / 0.9).toString()));
    assertThat(charts.get(1).getSeriesMap()).containsOnlyKeys("ours", "Curator");
  }

  @Test
  void plotOfNothingIsNone() {
    assertThat(Plot.charts(new Findings())).isEmpty();
  }

  @Test
  void threeFilesAreWritten(@TempDir Path directory) throws IOException {
    Path results = directory.resolve("a").resolve("b");

    report.write(results);

    assertThat(results.resolve("RESULTS.md")).hasContent(report.markdown());
    assertThat(results.resolve("results.csv")).hasContent(report.csv());
    assertThat(Files.size(results.resolve("results.png"))).isPositive();
  }
}
