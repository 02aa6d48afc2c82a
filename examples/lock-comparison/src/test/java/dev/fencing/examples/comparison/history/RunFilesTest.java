package dev.fencing.examples.comparison.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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
  void aRunIsThreeFilesWithALineForEachRecordBelowTheNamesOfTheColumns() throws IOException {
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

    Path files = directory.resolve("new");
    new RunFiles(files).write(run);

    assertThat(files.resolve("transactions.csv"))
        .hasContent(
            """
            number,worker,account,amount,requestedAt,acquiredAt,readAt,endedAt,releasedAt,token,\
            read,wrote,outcome,frozenNanos,detail
            1,2,alice,16,-30,-20,-10,5,9,33,1000,1016,WRITTEN,7,
            2,0,"bob, ""b""\",32,4,0,0,6,0,0,0,0,FAILED,0,"no, ""not"" that"
            """);
    assertThat(files.resolve("changes.csv"))
        .hasContent(
            """
            sequence,account,before,after,token
            7,alice,1000,1016,33
            """);
    assertThat(files.resolve("facts.csv"))
        .hasContent(
            """
            name,value
            arm,"Redis, SET NX"
            promise,"none: ""a lease""\"
            leaseMillis,3000
            startedAt,-40
            endedAt,9223372036854775807
            pauses,4
            pausesLongerThanLease,3
            overlaps,2
            fact server,"Redis 6.2, ""alone""\"
            fact arm,not the name of the arm
            """);
  }

  @Test
  void aRunIsWrittenOverTheOneBefore() throws IOException {
    RunFiles files = new RunFiles(directory);
    files.write(run(List.of(WRITTEN, FAILED)));
    files.write(run(List.of()));

    assertThat(Files.readAllLines(directory.resolve("transactions.csv")))
        .singleElement()
        .asString()
        .startsWith("number,worker,");
  }

  @Test
  void aDetailOfSeveralLinesIsOneLine() {
    Transaction torn =
        new Transaction(
            2, 0, "bob", 32, 4, 0, 0, 6, 0, 0, 0, 0, Outcome.FAILED, 0, "ERROR: x\r\n  Hint: y\nz");

    assertThat(torn.detail()).isEqualTo("ERROR: x   Hint: y z");
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() throws IOException {
    Path taken = Files.createDirectory(directory.resolve("transactions.csv"));

    assertThatThrownBy(() -> new RunFiles(directory).write(run(List.of(WRITTEN))))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(taken + " cannot be written: ");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFullDiskIsSaid() {
    assertThatThrownBy(() -> CsvFile.write(Path.of("/dev/full"), Change.class, List.of()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("/dev/full cannot be written: ")
        .hasMessageContaining("No space left on device");
  }

  private static ArmRun run(List<Transaction> transactions) {
    return new ArmRun("a", "p", 0, transactions, List.of(), 0, 0, 0, 0, 0, Map.of());
  }
}
