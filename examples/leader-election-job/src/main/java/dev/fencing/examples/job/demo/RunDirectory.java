package dev.fencing.examples.job.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The temporary directory of one run, and with it all processes of the run: each of them has the
 * directory's unique name in its command line, the ones that PostgreSQL starts for itself included.
 */
final class RunDirectory {

  private static final int ROUNDS = 20;
  private static final int TAIL = 5;
  private static final Pattern FRAME = Pattern.compile("\\s+(at |\\.\\.\\. \\d+ more)");
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final Path path;

  RunDirectory(Path path) {
    this.path = path;
  }

  /** Makes up a name that no other run has; nothing is created yet. */
  static RunDirectory unique() throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
    return new RunDirectory(temporary.resolve("fencing-demo-" + UUID.randomUUID()));
  }

  /** Creates the directory, for nobody but this user. */
  void create() throws IOException {
    Files.createDirectory(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  Path path() {
    return path;
  }

  Path log(String name) {
    return path.resolve(name + ".log");
  }

  /**
   * Returns the last lines of a log as one line, without stack frames; "none" if there are none.
   */
  String tail(String name) {
    try (Stream<String> lines = Files.lines(log(name))) {
      List<String> said =
          lines.filter(line -> !line.isBlank() && !FRAME.matcher(line).lookingAt()).toList();
      List<String> last = said.subList(Math.max(0, said.size() - TAIL), said.size());
      return last.isEmpty() ? "none" : String.join(" | ", last);
    } catch (IOException | UncheckedIOException e) {
      return "none";
    }
  }

  /** Ends every process of the run but this one, and deletes the directory. */
  void clear() {
    // Again and again: what was caught while it started a process may have left one more.
    for (int round = 0; round < ROUNDS; round++) {
      if (endProcesses() == 0 && delete(path)) {
        return;
      }
    }
  }

  /** Ends every process of the run but this one, and returns how many there were. */
  int endProcesses() {
    List<ProcessHandle> left = processes();
    left.forEach(this::end);
    return left.size();
  }

  /** The living processes of the run, without this one. */
  private List<ProcessHandle> processes() {
    long self = ProcessHandle.current().pid();
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != self)
        .filter(process -> commandLine(process).contains(path.toString()))
        .toList();
  }

  // Empty for a process that has ended, even if nobody has collected its exit status yet.
  private static String commandLine(ProcessHandle process) {
    return process.isAlive() ? process.info().commandLine().orElse("") : "";
  }

  private void end(ProcessHandle process) {
    List<ProcessHandle> children = process.descendants().toList();
    if (process.info().command().orElse("").endsWith("postgres") && quit(process.pid())) {
      await(process);
    }
    // SIGKILL, because a stopped process takes no other signal.
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    await(process);
  }

  // SIGQUIT is PostgreSQL's immediate shutdown. It frees the shared memory, which SIGKILL does not.
  private static boolean quit(long pid) {
    try {
      return new ProcessBuilder("sh", "-c", "kill -QUIT " + pid).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void await(ProcessHandle process) {
    long start = System.nanoTime();
    while (!commandLine(process).isEmpty() && System.nanoTime() - start < STOP_BOUND.toNanos()) {
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Deletes a directory with all in it, and returns whether it is gone. */
  static boolean delete(Path path) {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // A process that was still writing; the caller looks again.
    }
    return Files.notExists(path);
  }
}
