package dev.fencing.harness.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** All runs of one profile, for people. */
public final class Report {

  private final Meta meta;
  private final List<Result> results;

  /** Keeps the results in the order in which they are to be shown. */
  public Report(Meta meta, List<Result> results) {
    this.meta = meta;
    this.results = List.copyOf(results);
  }

  /**
   * Tells whether there are results, all runs of the product are valid, and every mutant was
   * caught, at least once if it ran several times, by a check that should catch it.
   */
  public boolean asItShould() {
    return !results.isEmpty()
        && results.stream().filter(Result::isProduct).allMatch(Result::asItShould)
        && escaped().isEmpty();
  }

  private List<String> mutants() {
    return results.stream().filter(r -> !r.isProduct()).map(Result::arm).distinct().toList();
  }

  private List<String> escaped() {
    return mutants().stream()
        .filter(arm -> results.stream().noneMatch(r -> r.arm().equals(arm) && r.asItShould()))
        .toList();
  }

  /** Says it in one line. */
  public String conclusion() {
    List<Result> product = results.stream().filter(Result::isProduct).toList();
    long valid = product.stream().filter(Result::asItShould).count();
    int mutants = mutants().size();
    List<String> escaped = escaped();
    String text = "%d of %d runs of the product are valid".formatted(valid, product.size());
    if (mutants > 0) {
      text += "; %d of %d mutants were caught".formatted(mutants - escaped.size(), mutants);
    }
    return escaped.isEmpty() ? text : text + ", not: " + String.join(", ", escaped);
  }

  /** Says when, how long and with what, on one line. */
  String circumstances() {
    String versions =
        meta.versions().entrySet().stream()
            .map(version -> version.getKey() + " " + version.getValue())
            .collect(Collectors.joining(", "));
    String asked = results.isEmpty() ? "" : "; asked: " + results.get(0).verdict().thresholds();
    return "%s; profile %s, seed %d; %s%s"
        .formatted(meta.date(), meta.profile(), meta.seed(), versions, asked);
  }

  List<Result> results() {
    return results;
  }

  /** The run that is shown first: what went wrong, or else the run with the most episodes. */
  Result shown() {
    Result best = results.get(0);
    for (Result result : results) {
      if (!result.asItShould() && best.asItShould()) {
        best = result;
      } else if (result.asItShould() == best.asItShould()
          && result.isProduct()
          && result.measures().episodes().size() > best.measures().episodes().size()) {
        best = result;
      }
    }
    return best;
  }

  List<Table> tables() {
    return Tables.of(results);
  }

  /** Returns the tables, and at length what did not go as it should. */
  public String terminal() {
    StringBuilder text = new StringBuilder();
    Tables.brief(results).forEach(table -> text.append(table.text()).append('\n'));
    for (Result result : results) {
      if (!result.asItShould()) {
        text.append(result.name()).append("  ").append(result.text()).append('\n');
      }
    }
    return text.append(conclusion()).append('\n').toString();
  }

  /**
   * Writes one HTML file that needs no other.
   *
   * @throws IOException if it cannot be written
   */
  public void writeHtml(Path file) throws IOException {
    Files.writeString(file, Page.of(this));
  }

  /**
   * Writes RESULTS.md, the whole file; sections of other profiles that are in it stay as they are.
   *
   * @throws IOException if it cannot be read or written
   */
  public void writeResults(Path file) throws IOException {
    String before = Files.exists(file) ? Files.readString(file) : "";
    Files.writeString(file, Results.with(before, meta.profile(), markdown()));
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("## Profile ").append(meta.profile()).append("\n\n");
    text.append("* ").append(meta.date()).append(", seed ").append(meta.seed()).append('\n');
    meta.versions()
        .forEach((name, version) -> text.append("* ").append(name + " " + version).append('\n'));
    if (!results.isEmpty()) {
      text.append("* asked of each run: ");
      text.append(results.get(0).verdict().thresholds()).append('\n');
    }
    text.append("\n**").append(conclusion()).append(".**\n\n");
    tables().forEach(table -> text.append(table.markdown()).append('\n'));
    for (Result result : results) {
      if (!result.asItShould()) {
        text.append(String.format(Locale.ROOT, "%n```%n%s  %s```%n", result.name(), result.text()));
      }
    }
    return text.toString();
  }
}
