package dev.fencing.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The findings of a run as text for the terminal, Markdown and CSV. */
final class Report {

  private static final List<String> HEADER =
      List.of("benchmark", "what", "unit", "min", "median", "max", "goal", "verdict");

  private final Findings findings;
  private final List<String> circumstances;

  /**
   * @param circumstances when, where and how it was measured, one thing a line
   */
  Report(Findings findings, List<String> circumstances) {
    this.findings = findings;
    this.circumstances = circumstances;
  }

  /** Writes RESULTS.md, results.csv and results.png. */
  void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("RESULTS.md"), markdown());
    Files.writeString(directory.resolve("results.csv"), csv());
    Plot.write(Plot.charts(findings), directory.resolve("results.png"));
  }

  /** Columns of equal width; what is the same for all rounds stands once. */
  String terminal() {
    List<List<String>> table = new ArrayList<>();
    table.add(HEADER);
    findings.rows().forEach(row -> table.add(cells(row)));
    int[] widths = new int[HEADER.size()];
    for (List<String> line : table) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : table) {
      StringBuilder padded = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - line.get(i).length());
        boolean number = i >= 3 && i <= 5;
        padded.append(number ? padding + line.get(i) : line.get(i) + padding).append("  ");
      }
      text.append(padded.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** What was missed and by how much; empty if nothing was. */
  String misses() {
    StringBuilder text = new StringBuilder();
    for (Row row : findings.misses()) {
      Goal goal = Objects.requireNonNull(row.goal());
      text.append(row.verdict())
          .append("  ")
          .append(row.benchmark())
          .append(", ")
          .append(row.what())
          .append(": ")
          .append(goal.missOf(row.spread().median()))
          .append('\n');
    }
    return text.toString();
  }

  String markdown() {
    StringBuilder text = new StringBuilder("# Benchmark results\n\n");
    text.append("Written by the program; verification/benchmarks/README.md says what is measured,");
    text.append(" and how.\n\n");
    circumstances.forEach(line -> text.append("* ").append(line).append('\n'));
    text.append(Plot.charts(findings).isEmpty() ? "\n" : "\n![results](results.png)\n\n");
    text.append("Ratios are medians of the ratios of each round.\n\n");
    text.append("| ").append(String.join(" | ", HEADER)).append(" |\n");
    text.append("|---|---|---|--:|--:|--:|---|---|\n");
    for (Row row : findings.rows()) {
      text.append("| ").append(String.join(" | ", cells(row))).append(" |\n");
    }
    String misses = misses();
    text.append(misses.isEmpty() ? "\nEvery goal was met.\n" : "\n## Missed\n\n");
    misses.lines().forEach(line -> text.append("* ").append(line).append('\n'));
    return text.toString();
  }

  /** Numbers in full, and quotes around every text. */
  String csv() {
    StringBuilder text = new StringBuilder(String.join(",", HEADER)).append('\n');
    for (Row row : findings.rows()) {
      Spread spread = row.spread();
      text.append(
          String.join(
              ",",
              quoted(row.benchmark()),
              quoted(row.what()),
              quoted(row.unit()),
              Double.toString(spread.min()),
              Double.toString(spread.median()),
              Double.toString(spread.max()),
              quoted(goal(row)),
              quoted(row.verdict())));
      text.append('\n');
    }
    return text.toString();
  }

  private static List<String> cells(Row row) {
    Spread spread = row.spread();
    boolean once = spread.min() == spread.max();
    return List.of(
        row.benchmark(),
        row.what(),
        row.unit(),
        once ? "" : Numbers.text(spread.min()),
        Numbers.text(spread.median()),
        once ? "" : Numbers.text(spread.max()),
        goal(row),
        row.verdict());
  }

  private static String goal(Row row) {
    return row.goal() == null ? "" : row.goal().toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }
}
