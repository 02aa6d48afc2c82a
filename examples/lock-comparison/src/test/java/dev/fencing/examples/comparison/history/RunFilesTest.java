package dev.fencing.examples.comparison.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFilesTest {

  private static final Transaction WRITTEN =
      new Transaction(
          1, 2, "alice", 16, -30, -20, -10, 5, 9, 33, 1_000, 1_016, Outcome.WRITTEN, 7, "");
  private static final Transaction FAILED =
      new Transaction(
          2, 0, "bob, \"b\"", 32, 4, 0, 0, 6, 0, 0, 0, 0, Outcome.FAILED, 0, "no, \"not\" that");

  private final Path directory;

  RunFilesTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void aRunIsReadAsItWasWritten() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("server", "Redis 6.2, \"alone\"");
    facts.put("arm", "not the name of the arm");
    ArmRun run =
        new ArmRun(
            "Redis, SET NX",
            "none: \"a lease\"",
            3_000,
            List.of(WRITTEN, FAILED),
            List.of(new Change(7, "alice", 1_000, 1_016, 33)),
            -40,
            Long.MAX_VALUE,
            4,
            3,
            2,
            facts);

    RunFiles files = new RunFiles(directory.resolve("new"));
    files.write(run);

    assertThat(files.read()).isEqualTo(run);
    assertThat(files.read().facts()).containsExactlyEntriesOf(facts);
  }

  @Test
  void theFirstLineNamesTheColumnsInTheOrderOfTheRecord() throws IOException {
    Path file = directory.resolve("changes.csv");
    CsvFile.of(file, Change.class).write(List.of(new Change(7, "alice", 1, 2, 0)));

    assertThat(file).hasContent("sequence,account,before,after,token\n7,alice,1,2,0\n");
  }

  @Test
  void aRunWithoutTransactionsIsReadAsOne() throws IOException {
    CsvFile<Transaction> file = CsvFile.of(directory.resolve("none.csv"), Transaction.class);
    file.write(List.of());

    assertThat(file.read()).isEmpty();
  }

  @Test
  void eachRecordIsInTheFileBeforeTheNext() throws IOException {
    CsvFile<Transaction> file = CsvFile.of(directory.resolve("grows.csv"), Transaction.class);
    try (CsvFile.Appender<Transaction> appender = file.create()) {
      assertThat(file.read()).isEmpty();
      appender.append(WRITTEN);
      assertThat(file.read()).containsExactly(WRITTEN);
      appender.append(FAILED);
      assertThat(file.read()).containsExactly(WRITTEN, FAILED);
    }
  }

  @Test
  void aLineWhoseWriterWasKilledIsDropped() throws IOException {
    Path path = directory.resolve("torn.csv");
    CsvFile<Transaction> file = CsvFile.of(path, Transaction.class);
    file.write(List.of(WRITTEN));
    Files.writeString(path, "2,0,bob,3", StandardOpenOption.APPEND);

    assertThat(file.read()).containsExactly(WRITTEN);
  }

  @Test
  void aDetailOfSeveralLinesIsOneLine() {
    Transaction torn =
        new Transaction(
            2, 0, "bob", 32, 4, 0, 0, 6, 0, 0, 0, 0, Outcome.FAILED, 0, "ERROR: x\r\n  Hint: y\nz");

    assertThat(torn.detail()).isEqualTo("ERROR: x   Hint: y z");
  }

  @Test
  void aFileOfOtherRecordsIsRefusedByName() throws IOException {
    Path path = directory.resolve("other.csv");
    CsvFile.of(path, Change.class).write(List.of(new Change(7, "alice", 1, 2, 0)));

    assertThatThrownBy(() -> CsvFile.of(path, Transaction.class).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other.csv is not a file of Transaction records");
  }

  @Test
  void aFactThatIsMissingIsNamed() throws IOException {
    ArmRun run = new ArmRun("a", "p", 0, List.of(), List.of(), 0, 0, 0, 0, 0, Map.of());
    new RunFiles(directory).write(run);
    Path facts = directory.resolve("facts.csv");
    Files.writeString(facts, Files.readString(facts).replace("pauses,", "paused,"));

    assertThatThrownBy(() -> new RunFiles(directory).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no line 'pauses'");
  }
}
