package dev.fencing.examples.dropin.demo;

import dev.fencing.examples.job.demo.Backstage;
import dev.fencing.examples.job.demo.DemoException;
import dev.fencing.examples.job.demo.Servers;
import dev.fencing.examples.job.demo.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An instance of the application, seen from outside. For one thread. */
final class Instance {

  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final String ENDED = "\0ended";

  private final String app;
  private final Version version;
  private final String name;
  private final Backstage backstage;
  private final Process process;
  private final Writer in;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private Instance(String app, Version version, Backstage backstage, Process process) {
    this.app = app;
    this.name = nameOf(app, version);
    this.version = version;
    this.backstage = backstage;
    this.process = process;
    this.in = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts an instance, which need not be ready yet. */
  static Instance start(
      String app, Version version, Duration session, Backstage backstage, Servers servers)
      throws IOException {
    String name = nameOf(app, version);
    List<String> args =
        List.of(
            name,
            version.name(),
            servers.zookeeper(),
            Long.toString(session.toMillis()),
            servers.database().url(),
            servers.database().user());
    Process process = backstage.startWorker(InstanceMain.class, name, args, Map.of());
    Instance instance = new Instance(app, version, backstage, process);
    Thread reader = new Thread(instance::read, name);
    reader.setDaemon(true);
    reader.start();
    return instance;
  }

  /** As which instance it was started, whatever its version. */
  String app() {
    return app;
  }

  String name() {
    return name;
  }

  Version version() {
    return version;
  }

  void tell(String line) {
    try {
      in.write(line + "\n");
      in.flush();
    } catch (IOException e) {
      // It has died; the end of its output says so.
    }
  }

  /**
   * Waits for the next line and requires it to be this one.
   *
   * @throws DemoException if it is another one, or none comes in time
   */
  void await(String expected) throws InterruptedException {
    String line = next(expected);
    if (!line.equals(expected)) {
      throw DemoException.unfinished(
          "%s was to say \"%s\" but says: %s".formatted(name, expected, line));
    }
  }

  /**
   * Waits until it is idle and returns how many orders it has shipped meanwhile, and no failure.
   */
  int awaitIdle() throws InterruptedException {
    int shipped = 0;
    for (String line = next(InstanceMain.IDLE);
        !line.equals(InstanceMain.IDLE);
        line = next(InstanceMain.IDLE)) {
      if (!line.equals(InstanceMain.SHIPPED)) {
        throw DemoException.unfinished("%s cannot work: %s".formatted(name, line));
      }
      shipped++;
    }
    return shipped;
  }

  private static String nameOf(String app, Version version) {
    return app + "-" + version.label();
  }

  /** Waits for the next line, whatever it is. */
  String next(String awaited) throws InterruptedException {
    String line = lines.poll(BOUND.toNanos(), TimeUnit.NANOSECONDS);
    if (line == null) {
      throw DemoException.unfinished(
          "%s (process %d) has said nothing for %d s, but was to say \"%s\""
              .formatted(name, process.pid(), BOUND.toSeconds(), awaited));
    }
    if (line.equals(ENDED)) {
      throw DemoException.unfinished(
          "%s (process %d) has ended but was to say \"%s\"; its last lines: %s"
              .formatted(name, process.pid(), awaited, backstage.lastLines(name)));
    }
    return line;
  }

  void freeze() throws IOException, InterruptedException {
    Signals.freeze(process.pid());
  }

  void wake() throws IOException, InterruptedException {
    Signals.wake(process.pid());
  }

  /** Ends the process in good order, and returns when it has ended. */
  void end() throws InterruptedException {
    tell("end");
    if (!process.waitFor(BOUND.toNanos(), TimeUnit.NANOSECONDS)) {
      throw DemoException.unfinished(
          "%s (process %d) has not ended within %d s"
              .formatted(name, process.pid(), BOUND.toSeconds()));
    }
    if (process.exitValue() != 0) {
      throw DemoException.unfinished(
          "%s ended with exit code %d; its last lines: %s"
              .formatted(name, process.exitValue(), backstage.lastLines(name)));
    }
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      // The process was killed.
    }
    lines.add(ENDED);
  }
}
