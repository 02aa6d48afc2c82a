package dev.fencing.harness.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The directory of one run: {@code history.edn}, {@code oplog.edn}, {@code faults.edn} and {@code
 * end.edn}, and before they are merged the files {@code worker-*.edn} of the workers.
 *
 * <p>{@code history.edn} is a Jepsen history: Knossos and Elle read the keys {@code :index :time
 * :process :type :f :value} of its lines.
 */
public record RunDirectory(Path path) {

  /** Returns the file for the operations of one worker process; the name is unique in a run. */
  public Path workerFile(String name) {
    return path.resolve("worker-" + name + ".edn");
  }

  /** Returns the file for the merged operations. */
  public Path historyFile() {
    return path.resolve("history.edn");
  }

  /** Returns the file for the accepted writes. */
  public Path logFile() {
    return path.resolve("oplog.edn");
  }

  /** Returns the file for the faults. */
  public Path faultsFile() {
    return path.resolve("faults.edn");
  }

  /** Returns the file for what was left at the end. */
  public Path endFile() {
    return path.resolve("end.edn");
  }

  /**
   * Merges the workers' files into {@code history.edn}, by time; lines of one time stay in the
   * order of their file. Torn last lines are left out. The workers' files stay.
   *
   * @throws IOException if one cannot be read or is damaged elsewhere than at its end, or the
   *     history cannot be written; then {@code history.edn} is as before
   */
  public void merge() throws IOException {
    List<Op> ops = new ArrayList<>();
    for (Path file : workerFiles()) {
      ops.addAll(EdnFile.read(file, Op::fromMap).lines());
    }
    ops.sort(Comparator.comparingLong(Op::time));
    List<Op> merged = new ArrayList<>(ops.size());
    for (Op op : ops) {
      merged.add(op.at(merged.size()));
    }
    writeHistory(merged);
  }

  /** Writes {@code history.edn}, in place of one that may be there. */
  public void writeHistory(List<Op> ops) throws IOException {
    write(historyFile(), ops.stream().map(op -> Edn.line(op.toMap())).toList());
  }

  /** Writes {@code oplog.edn}, in place of one that may be there. */
  public void writeLog(List<LoggedWrite> log) throws IOException {
    write(logFile(), log.stream().map(write -> Edn.line(write.toMap())).toList());
  }

  /** Writes {@code faults.edn}, in place of one that may be there. */
  public void writeFaults(List<Fault> faults) throws IOException {
    write(faultsFile(), faults.stream().map(fault -> Edn.line(fault.toMap())).toList());
  }

  /** Writes {@code end.edn}, in place of one that may be there. */
  public void writeEnd(RunEnd end) throws IOException {
    write(endFile(), List.of(Edn.line(end.toMap())));
  }

  /**
   * Reads what is there; a file that is missing counts as empty, {@code oplog.edn} as not asked
   * for.
   *
   * @throws IOException if a file cannot be read or is damaged elsewhere than at its end
   */
  public Run read() throws IOException {
    EdnFile<Op> history = read(historyFile(), Op::fromMap);
    EdnFile<LoggedWrite> log = read(logFile(), LoggedWrite::fromMap);
    EdnFile<Fault> faults = read(faultsFile(), Fault::fromMap);
    EdnFile<RunEnd> end = read(endFile(), RunEnd::fromMap);
    int torn = history.torn() + log.torn() + faults.torn() + end.torn();
    for (Path file : workerFiles()) {
      torn += tornEnd(file);
    }
    return new Run(
        history.lines(),
        Files.exists(logFile()) ? log.lines() : null,
        faults.lines(),
        end.lines().isEmpty() ? null : end.lines().get(0),
        torn);
  }

  private List<Path> workerFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    if (Files.isDirectory(path)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(path, "worker-*.edn")) {
        found.forEach(files::add);
      }
    }
    files.sort(Comparator.naturalOrder());
    return files;
  }

  private static int tornEnd(Path file) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      if (channel.size() == 0) {
        return 0;
      }
      ByteBuffer last = ByteBuffer.allocate(1);
      channel.position(channel.size() - 1).read(last);
      return last.get(0) == '\n' ? 0 : 1;
    }
  }

  private static <T> EdnFile<T> read(Path file, Function<Fields, T> type) throws IOException {
    return Files.exists(file) ? EdnFile.read(file, type) : new EdnFile<>(List.of(), 0);
  }

  private static void write(Path file, List<String> lines) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    try {
      Files.write(unfinished, lines);
      Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new IOException(file + " could not be written: " + e.getMessage(), e);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }
}
