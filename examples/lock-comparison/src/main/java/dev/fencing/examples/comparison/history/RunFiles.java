package dev.fencing.examples.comparison.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The three files of a run, in a directory of its own: transactions.csv, changes.csv and facts.csv.
 */
public final class RunFiles {

  /** Before the names of a run's own facts, so that none of them can be taken for another line. */
  private static final String FACT = "fact ";

  private final CsvFile<Transaction> transactions;
  private final CsvFile<Change> changes;
  private final CsvFile<Fact> facts;
  private final Path directory;

  /** Takes the directory of one run; it need not exist yet. */
  public RunFiles(Path directory) {
    this.directory = directory;
    transactions = CsvFile.of(directory.resolve("transactions.csv"), Transaction.class);
    changes = CsvFile.of(directory.resolve("changes.csv"), Change.class);
    facts = CsvFile.of(directory.resolve("facts.csv"), Fact.class);
  }

  /**
   * Writes the run, over what is there.
   *
   * @throws IOException if it cannot be written
   */
  public void write(ArmRun run) throws IOException {
    Files.createDirectories(directory);
    transactions.write(run.transactions());
    changes.write(run.changes());
    List<Fact> lines = new ArrayList<>();
    lines.add(new Fact("arm", run.arm()));
    lines.add(new Fact("promise", run.promise()));
    lines.add(new Fact("leaseMillis", run.leaseMillis()));
    lines.add(new Fact("startedAt", run.startedAt()));
    lines.add(new Fact("endedAt", run.endedAt()));
    lines.add(new Fact("pauses", run.pauses()));
    lines.add(new Fact("pausesLongerThanLease", run.pausesLongerThanLease()));
    lines.add(new Fact("overlaps", run.overlaps()));
    run.facts().forEach((name, value) -> lines.add(new Fact(FACT + name, value)));
    facts.write(lines);
  }

  /**
   * Reads the run that was written.
   *
   * @throws IOException if a file is missing, or is not one of these
   */
  public ArmRun read() throws IOException {
    Map<String, String> own = new LinkedHashMap<>();
    Map<String, String> lines = new LinkedHashMap<>();
    for (Fact fact : facts.read()) {
      if (fact.name().startsWith(FACT)) {
        own.put(fact.name().substring(FACT.length()), fact.value());
      } else {
        lines.put(fact.name(), fact.value());
      }
    }
    return new ArmRun(
        line(lines, "arm"),
        line(lines, "promise"),
        number(lines, "leaseMillis"),
        transactions.read(),
        changes.read(),
        number(lines, "startedAt"),
        number(lines, "endedAt"),
        Math.toIntExact(number(lines, "pauses")),
        Math.toIntExact(number(lines, "pausesLongerThanLease")),
        Math.toIntExact(number(lines, "overlaps")),
        own);
  }

  private String line(Map<String, String> lines, String name) throws IOException {
    String value = lines.get(name);
    if (value == null) {
      throw new IOException("facts.csv in %s has no line '%s'".formatted(directory, name));
    }
    return value;
  }

  private long number(Map<String, String> lines, String name) throws IOException {
    String value = line(lines, name);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IOException(
          "facts.csv in %s: '%s' is no number for '%s'".formatted(directory, value, name), e);
    }
  }

  record Fact(String name, String value) {

    Fact(String name, long value) {
      this(name, Long.toString(value));
    }
  }
}
