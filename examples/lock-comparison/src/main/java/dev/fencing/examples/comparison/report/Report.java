package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.CsvFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All arms side by side. */
public final class Report {

  private final Map<String, String> circumstances;
  private final List<Figures> arms;
  private final Map<String, String> skipped;

  /**
   * Works the numbers out.
   *
   * @param circumstances when, with what and with which options, in the order to be shown
   * @param results in the order to be shown
   * @param skipped arms that did not run, each with the reason
   */
  public Report(
      Map<String, String> circumstances, List<ArmResult> results, Map<String, String> skipped) {
    this.circumstances = Collections.unmodifiableMap(new LinkedHashMap<>(circumstances));
    this.skipped = Collections.unmodifiableMap(new LinkedHashMap<>(skipped));
    arms = results.stream().map(Figures::of).toList();
  }

  /**
   * Returns what must not be: histories that contradict themselves, and updates that were lost
   * where the arm promises that none is.
   */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (Figures arm : arms) {
      problems.addAll(arm.inconsistencies());
      if (arm.result().protection().keepsEveryUpdate() && arm.lost() > 0) {
        problems.add(
            "%s must lose nothing and lost %s: %s"
                .formatted(arm.arm(), Numbers.some(arm.lost(), "update"), first(arm)));
      }
    }
    return problems;
  }

  private static String first(Figures arm) {
    LostUpdates.Loss loss =
        arm.runs().stream().flatMap(run -> run.losses().stream()).findFirst().orElseThrow();
    return "the first is that of transaction %d (token %d), overwritten by %d (token %d) on %s"
        .formatted(
            loss.lost().number(),
            loss.lost().token(),
            loss.by().number(),
            loss.by().token(),
            loss.lost().account());
  }

  /** Tells whether there is none of these. */
  public boolean asItShould() {
    return problems().isEmpty();
  }

  Map<String, String> circumstances() {
    return circumstances;
  }

  List<Figures> arms() {
    return arms;
  }

  Map<String, String> skipped() {
    return skipped;
  }

  /** Returns why each arm without a fence that lost nothing did so. */
  List<String> nothingLost() {
    return arms.stream()
        .filter(arm -> arm.result().protection() != Protection.FENCED && arm.lost() == 0)
        .map(Sentences::whyNothingLost)
        .toList();
  }

  /** Returns a sentence on each difference from a published figure. */
  List<String> differences() {
    List<String> sentences = new ArrayList<>();
    for (Figures arm : arms) {
      Published published = arm.result().published();
      if (published != null) {
        sentences.add(Sentences.damage(arm, published));
        sentences.add(Sentences.latency(arm, published));
      }
    }
    return sentences;
  }

  List<String> goals() {
    return Goals.of(arms);
  }

  /** Returns the tables, and what they say. */
  public String terminal() {
    StringBuilder text = new StringBuilder();
    text.append(Tables.damage(arms).text()).append('\n');
    text.append(Tables.speed(arms).text()).append('\n');
    section(text, "What each promises", promises());
    section(text, "Skipped", lines(skipped));
    section(text, "No fence and nothing lost", nothingLost());
    section(text, "Beside the published figures", differences());
    section(text, "What a fence costs", goals());
    section(text, "WRONG", problems());
    return text.toString();
  }

  private List<String> promises() {
    return arms.stream().map(arm -> arm.arm() + ": " + arm.result().promise()).toList();
  }

  private static List<String> lines(Map<String, String> map) {
    return map.entrySet().stream().map(line -> line.getKey() + ": " + line.getValue()).toList();
  }

  private static void section(StringBuilder text, String title, List<String> lines) {
    if (!lines.isEmpty()) {
      text.append(title).append('\n');
      lines.forEach(line -> text.append("  ").append(line).append('\n'));
      text.append('\n');
    }
  }

  /**
   * Writes a line for each arm.
   *
   * @throws IOException if it cannot be written
   */
  public void writeCsv(Path file) throws IOException {
    CsvFile.write(file, Row.class, arms.stream().map(Row::of).toList());
  }

  /**
   * Writes what the terminal shows, and under which circumstances it came about.
   *
   * @throws IOException if it cannot be written
   */
  public void writeText(Path file) throws IOException {
    write(file, String.join("\n", lines(circumstances)) + "\n\n" + terminal());
  }

  /**
   * Writes one HTML file that needs no other.
   *
   * @throws IOException if it cannot be written
   */
  public void writeHtml(Path file) throws IOException {
    write(file, Page.of(this));
  }

  private static void write(Path file, String text) throws IOException {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new IOException("%s cannot be written: %s".formatted(file, e), e);
    }
  }
}
