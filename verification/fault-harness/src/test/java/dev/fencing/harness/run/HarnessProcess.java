package dev.fencing.harness.run;

import dev.fencing.fixtures.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The harness as a process of its own, and all that it has started. */
final class HarnessProcess implements AutoCloseable {

  private static final Duration LEFT = Duration.ofSeconds(40);

  private final Process process;
  private final Path temporary;
  private final List<String> lines = new ArrayList<>();
  private final Set<Long> started = ConcurrentHashMap.newKeySet();

  private HarnessProcess(Process process, Path temporary) {
    this.process = process;
    this.temporary = temporary;
    Thread reader = new Thread(this::read, "harness-lines");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts it; its servers' files go below {@code directory}. */
  static HarnessProcess start(Path directory, String... args) throws IOException {
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-Djava.io.tmpdir=" + temporary);
    // Unpacked once for all, and not for every test anew.
    command.add("-Dot.epg.working-dir=" + System.getProperty("java.io.tmpdir") + "/embedded-pg");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(Harness.class.getName());
    command.addAll(List.of(args));
    command.addAll(List.of("--output", directory.resolve("out").toString()));
    return new HarnessProcess(
        new ProcessBuilder(command).redirectErrorStream(true).start(), temporary);
  }

  private void read() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(line);
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException | UncheckedIOException ended) {
      // Killed.
    }
  }

  /** Waits for a line that holds this text. */
  void awaitLine(String text, Duration bound) throws InterruptedException {
    long start = System.nanoTime();
    synchronized (lines) {
      while (lines.stream().noneMatch(line -> line.contains(text))) {
        if (System.nanoTime() - start > bound.toNanos()) {
          throw new AssertionError("no line with \"" + text + "\" but\n" + output());
        }
        lines.wait(100);
      }
    }
  }

  /** Waits for a process of it that was started so. */
  void awaitProcess(String text, Duration bound) throws InterruptedException {
    long start = System.nanoTime();
    while (ProcessHandle.allProcesses()
        .map(other -> other.info().commandLine().orElse(""))
        .noneMatch(line -> line.contains(temporary.toString()) && line.contains(text))) {
      if (System.nanoTime() - start > bound.toNanos()) {
        throw new AssertionError("no process with \"" + text + "\", but\n" + output());
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  String output() {
    synchronized (lines) {
      return String.join("\n", lines);
    }
  }

  /** Remembers what runs now, to look for it later. */
  HarnessProcess noteProcesses() {
    process.descendants().forEach(child -> started.add(child.pid()));
    ProcessHandle.allProcesses()
        .filter(other -> other.info().commandLine().orElse("").contains(temporary.toString()))
        .forEach(other -> started.add(other.pid()));
    return this;
  }

  /** The processes of the workers, by what they run. */
  List<ProcessHandle> workers() {
    return process
        .descendants()
        .filter(
            child -> child.info().commandLine().orElse("").contains("-Dfencing.harness.worker="))
        .toList();
  }

  void signal(String name) throws IOException, InterruptedException {
    Signals.send(name, process.pid());
  }

  int awaitExit(Duration bound) throws InterruptedException {
    if (!process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("the harness did not end within " + bound + ":\n" + output());
    }
    return process.exitValue();
  }

  /** Requires that nothing that was noted runs, and that no file of the servers is there. */
  void requireNothingLeft() throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (true) {
      List<String> left = left();
      if (left.isEmpty()) {
        return;
      }
      if (System.nanoTime() - start > LEFT.toNanos()) {
        throw new AssertionError("left behind: " + left);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private List<String> left() throws IOException, InterruptedException {
    List<String> left = new ArrayList<>();
    for (long pid : started) {
      char state = Signals.state(pid);
      if (state != '?' && state != 'Z') {
        left.add("process " + pid + " in state " + state);
      }
    }
    try (Stream<Path> files = Files.list(temporary)) {
      files
          .filter(file -> file.getFileName().toString().startsWith("fencing-harness-"))
          .forEach(file -> left.add(file.toString()));
    }
    return left;
  }

  @Override
  public void close() {
    process.destroyForcibly(); // What it has started ends by itself, as one of the tests shows.
  }
}
