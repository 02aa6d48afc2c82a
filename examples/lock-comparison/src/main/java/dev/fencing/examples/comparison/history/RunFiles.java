package dev.fencing.examples.comparison.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The three files of a run, in a directory of its own: transactions.csv, changes.csv and facts.csv.
 */
public final class RunFiles {

  /** Before the names of a run's own facts, so that none of them can be taken for another line. */
  private static final String FACT = "fact ";

  private final Path directory;

  /** Takes the directory of one run; it need not exist yet. */
  public RunFiles(Path directory) {
    this.directory = directory;
  }

  /**
   * Writes the run, over what is there.
   *
   * @throws IOException if it cannot be written
   */
  public void write(ArmRun run) throws IOException {
    Files.createDirectories(directory);
    CsvFile.write(directory.resolve("transactions.csv"), Transaction.class, run.transactions());
    CsvFile.write(directory.resolve("changes.csv"), Change.class, run.changes());
    CsvFile.write(directory.resolve("facts.csv"), Fact.class, facts(run));
  }

  private static List<Fact> facts(ArmRun run) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("arm", run.arm()));
    facts.add(new Fact("promise", run.promise()));
    facts.add(new Fact("leaseMillis", run.leaseMillis()));
    facts.add(new Fact("startedAt", run.startedAt()));
    facts.add(new Fact("endedAt", run.endedAt()));
    facts.add(new Fact("pauses", run.pauses()));
    facts.add(new Fact("pausesLongerThanLease", run.pausesLongerThanLease()));
    facts.add(new Fact("overlaps", run.overlaps()));
    run.facts().forEach((name, value) -> facts.add(new Fact(FACT + name, value)));
    return facts;
  }

  record Fact(String name, String value) {

    Fact(String name, long value) {
      this(name, Long.toString(value));
    }
  }
}
