package dev.fencing.harness.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {

  private static final Op INVOKE =
      Op.invoke(OpFunction.WRITE, 3, 9)
          .resource("lock-2")
          .key("account-1")
          .token(0x1_0000_0021L)
          .hold("w3-h7")
          .op("w3-41")
          .value(List.of(1L, 2L))
          .live(true)
          .at(5);

  private RunDirectory directory;

  @BeforeEach
  void begin(@TempDir Path path) {
    directory = new RunDirectory(path);
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    Op read = INVOKE.completed(OpType.OK).value(new Row(4, -7L)).at(6);
    Op several =
        INVOKE.completed(OpType.OK).value(Map.of("account-0", new Row(4, List.of(1L)))).at(7);
    Op failed = INVOKE.completed(OpType.FAIL).error("a \"b\" \\ \n\t\u0001 ü {:x").at(8);
    LoggedWrite write = new LoggedWrite("w", "lock-2", "lock-2", 33, 5, 4, 1L, List.of(1L));
    LoggedWrite first = new LoggedWrite("w", "lock-2", "account-0", 33, 1, 0, null, 2L);
    Fault fault =
        new Fault(FaultKind.PAUSE_HOLDER, 5, 9, 3, "lock-2", true, "state T", "after-read");
    RunEnd end = end();

    directory.writeHistory(List.of(INVOKE, read, several, failed));
    directory.writeLog(List.of(write, first));
    directory.writeFaults(List.of(fault));
    directory.writeEnd(end);
    Run run = directory.read();

    assertThat(run.history())
        .containsExactly(
            INVOKE.at(0),
            read.at(1),
            several.at(2),
            INVOKE.completed(OpType.FAIL).error("a \"b\" \\ \n\t  ü {:x").at(8).at(3));
    assertThat(run.log()).containsExactly(write, first);
    assertThat(run.faults()).containsExactly(fault);
    assertThat(run.end()).isEqualTo(end);
    assertThat(run.torn()).isZero();
  }

  private static RunEnd end() {
    Map<Integer, Double> seconds = new TreeMap<>();
    seconds.put(0, 0.12);
    seconds.put(1, Double.POSITIVE_INFINITY);
    return new RunEnd(
        "P1'",
        Workload.LIST_APPEND,
        -4,
        90.5,
        1000,
        250,
        0,
        1,
        2,
        null,
        Map.of("lock-0", seconds),
        null,
        null,
        List.of("C1", "C4"),
        List.of("C5"));
  }

  @Test
  void linesAreWhatKnossosAndElleRead() throws IOException {
    directory.writeHistory(
        List.of(Op.invoke(OpFunction.CHECK_LIVE, 1, 6).resource("lock-0").at(12).at(0)));

    assertThat(directory.historyFile())
        .hasContent(
            "{:index 0 :time 12 :process 6 :worker 1 :type :invoke :f :check-live"
                + " :resource \"lock-0\"}\n");
  }

  @Test
  void nothingIsAnEmptyRun() throws IOException {
    assertThat(directory.read()).isEqualTo(new Run(List.of(), null, List.of(), null, 0));
  }

  @Test
  void workersAreMergedByTimeAndKeepTheirOwnOrder() throws IOException {
    write("a", at(5, 1), at(7, 2), at(7, 3));
    write("b", at(6, 4), at(7, 5), at(9, 6));

    directory.merge();

    assertThat(directory.read().history())
        .extracting(Op::process)
        .containsExactly(1, 4, 2, 3, 5, 6);
    assertThat(directory.read().history()).extracting(Op::index).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void tornLastLineIsDroppedAndCounted() throws IOException {
    write("a", at(5, 1), at(7, 2));
    write("b", at(6, 4));
    Files.writeString(
        directory.workerFile("a"), "{:time 9 :process 1 :wor", StandardOpenOption.APPEND);

    directory.merge();

    assertThat(directory.read().history()).extracting(Op::process).containsExactly(1, 4, 2);
    assertThat(directory.read().torn()).isEqualTo(1);
  }

  @Test
  void damageElsewhereIsNamedByItsLine() throws IOException {
    write("a", at(5, 1), at(7, 2));
    Files.writeString(
        directory.workerFile("a"), "{:time 9 :process 1}\n", StandardOpenOption.APPEND);

    assertThatThrownBy(directory::merge)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("worker-a.edn, line 3")
        .hasMessageContaining(":worker is missing");
    assertThat(directory.historyFile()).doesNotExist();
  }

  @Test
  void fileOfAKilledWriterIsNotContinued() throws IOException {
    write("a", at(5, 1));

    assertThatThrownBy(() -> EdnWriter.create(directory.workerFile("a")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void afterALineThatCouldNotBeWrittenNoneFollows() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "no /dev/full here");
    try (EdnWriter writer = EdnWriter.open(full)) {
      assertThatThrownBy(() -> writer.append(at(1, 1))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> writer.append(at(2, 1)))
          .hasMessage("/dev/full could not be written after line 0, and ends there");
    }
  }

  @Test
  @Timeout(60)
  void whatWasWrittenSurvivesAKill() throws Exception {
    Path file = directory.workerFile("killed");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx32m",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                WriterMain.class.getName(),
                file.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    long told = 0;
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line = out.readLine();
      while (line != null) {
        // The last number may be torn as well.
        told = Math.max(told, Long.parseLong(line));
        if (told == 500) {
          // Of the process itself this would close the pipe.
          process.toHandle().destroyForcibly();
        }
        line = out.readLine();
      }
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();

    directory.merge();

    assertThat(told).isGreaterThanOrEqualTo(500);
    assertThat(directory.read().history().size()).isGreaterThanOrEqualTo((int) told);
  }

  private static Op at(long time, int process) {
    return Op.invoke(OpFunction.READ, 0, process).at(time);
  }

  private void write(String name, Op... ops) throws IOException {
    try (EdnWriter writer = EdnWriter.create(directory.workerFile(name))) {
      for (Op op : ops) {
        writer.append(op);
      }
    }
  }
}
