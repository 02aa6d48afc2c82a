package dev.fencing.examples.comparison.server;

import dev.fencing.fixtures.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The process that owns the servers, starts them on demand, and ends the whole run.
 *
 * <p>When its standard input ends, because the run is over or because the process that ran it was
 * killed, by SIGKILL even, it ends every server and every worker that it was told of, stopped ones
 * too, and deletes the run's directory. One line of standard input is one command, one line of
 * standard output its answer: {@code ok} and words, or {@code failed} and a message.
 */
final class Guardian {

  static final String OK = "ok";
  static final String FAILED = "failed ";

  private static final Duration STOP = Duration.ofSeconds(10);
  private static final int ROUNDS = 20;

  /** The last word of a command is a path, which may have blanks in it. */
  private static final int WORDS = 3;

  private final Path directory;
  private final Set<Long> watched = new LinkedHashSet<>();
  private final ServerPrograms programs;
  private boolean cleared;

  private Guardian(Path directory) {
    this.directory = directory;
    this.programs = new ServerPrograms(directory);
  }

  /**
   * Runs until standard input ends.
   *
   * @param args the run's directory, which exists
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    // Loads now what the end needs: by then a build may have replaced the jar that it is in.
    Signals.state(ProcessHandle.current().pid());
    Guardian guardian = new Guardian(Path.of(args[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(guardian::clear, "clear"));
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      System.out.println(guardian.answer(line));
    }
    System.exit(0);
  }

  private synchronized String answer(String line) {
    if (cleared) {
      return FAILED + "the run is ending";
    }
    try {
      return (OK + " " + execute(line.split(" ", WORDS))).strip();
    } catch (Exception | ExceptionInInitializerError e) {
      if (!(e instanceof ServerException)) {
        e.printStackTrace();
      }
      String message = e instanceof ServerException ? e.getMessage() : e.toString();
      return FAILED + String.valueOf(message).replaceAll("\\s+", " ");
    }
  }

  private String execute(String... words) throws Exception {
    return switch (words[0]) {
      case "watch" -> {
        watched.add(Long.parseLong(words[1]));
        yield "";
      }
      case "end" -> {
        end(Long.parseLong(words[1]));
        yield "";
      }
      default -> programs.start(words);
    };
  }

  private void end(long pid) {
    watched.remove(pid);
    ProcessHandle.of(pid).ifPresent(Guardian::kill);
  }

  /** By SIGKILL: a stopped process takes no other signal. Returns when it is gone. */
  static void kill(ProcessHandle process) {
    process.destroyForcibly();
    await(process, STOP);
  }

  private synchronized void clear() {
    cleared = true;
    List.copyOf(watched).forEach(this::end);
    programs.stopPostgres(STOP);
    // Again and again: a server may be starting a process of its own.
    for (int round = 0; round < ROUNDS; round++) {
      List<ProcessHandle> left = ProcessHandle.current().descendants().toList();
      left.forEach(ProcessHandle::destroyForcibly);
      left.forEach(process -> await(process, STOP));
      if (delete(directory) && left.isEmpty()) {
        return;
      }
    }
  }

  static void await(ProcessHandle process, Duration bound) {
    long start = System.nanoTime();
    while (process.isAlive() && System.nanoTime() - start < bound.toNanos()) {
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Returns whether it is gone. */
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
