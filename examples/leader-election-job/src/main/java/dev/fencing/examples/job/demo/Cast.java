package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.demo.Mark.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The workers, and what they report, in the order of arrival.
 *
 * <p>A worker that waits at a mark goes on at once, unless the story was waiting for that very
 * mark: then the story answers when it wants to. For one thread.
 */
final class Cast {

  /** The longest that the demo waits without any progress of the job. */
  static final Duration BOUND = Duration.ofSeconds(30);

  private static final Duration HEARTBEAT = Duration.ofSeconds(2);

  /** A worker process. */
  record Worker(String name, Process process, Writer in) {

    /** Lets the worker go on from the mark at which it waits. */
    void goOn() {
      try {
        in.write("go\n");
        in.flush();
      } catch (IOException e) {
        // It has died; the end of its output says so.
      }
    }
  }

  /** A mark that a worker has reached. */
  record Cue(Worker worker, Mark mark) {

    boolean is(Kind kind) {
      return mark.kind() == kind;
    }
  }

  private final Backstage backstage;
  private final Timeline timeline;
  private final Consumer<Cue> observer;
  private final List<Worker> workers = new ArrayList<>();
  private final BlockingQueue<Cue> cues = new LinkedBlockingQueue<>();

  /** Makes an empty cast; {@code observer} sees every cue before the story does. */
  Cast(Backstage backstage, Timeline timeline, Consumer<Cue> observer) {
    this.backstage = backstage;
    this.timeline = timeline;
    this.observer = observer;
  }

  void add(String name, Process process) {
    Worker worker = new Worker(name, process, process.outputWriter(StandardCharsets.UTF_8));
    workers.add(worker);
    Thread reader = new Thread(() -> readMarks(worker), name);
    reader.setDaemon(true);
    reader.start();
  }

  List<Worker> workers() {
    return List.copyOf(workers);
  }

  /**
   * Waits for a cue and returns it; a worker that waits there still waits.
   *
   * @throws DemoException if the job made no progress for too long, or a worker died
   */
  Cue await(String what, Predicate<Cue> wanted) throws InterruptedException {
    long start = System.nanoTime();
    long progress = start;
    String last = "nothing";
    while (System.nanoTime() - progress < BOUND.toNanos()) {
      Cue cue = cues.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
      if (cue == null) {
        timeline.note("... waiting for " + what + ", " + seconds(start));
        continue;
      }
      if (cue.is(Kind.ENDED)) {
        failIfUnfinished(cue.worker());
        continue;
      }
      last = cue.worker().name() + " " + cue.mark().line().replace('\t', ' ');
      if (cue.is(Kind.LEADING) || cue.is(Kind.WRITTEN)) {
        progress = System.nanoTime();
      }
      observer.accept(cue);
      if (wanted.test(cue)) {
        return cue;
      }
      if (cue.mark().kind().waits()) {
        cue.worker().goOn();
      }
    }
    throw DemoException.unfinished(
        "waited %s for %s, the last %d s without progress; last heard: %s"
            .formatted(seconds(start), what, BOUND.toSeconds(), last));
  }

  /** Waits until every worker has ended by itself. */
  void awaitEnd() throws InterruptedException {
    for (Worker worker : workers) {
      failIfUnfinished(worker);
    }
  }

  private void failIfUnfinished(Worker worker) throws InterruptedException {
    if (!worker.process().waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
      throw DemoException.unfinished(
          "%s has closed its output but has not ended within %d s"
              .formatted(worker.name(), BOUND.toSeconds()));
    }
    int exit = worker.process().exitValue();
    if (exit != 0) {
      throw DemoException.unfinished(
          "%s (process %d) died with exit code %d; its last lines: %s"
              .formatted(
                  worker.name(), worker.process().pid(), exit, backstage.lastLines(worker.name())));
    }
  }

  private void readMarks(Worker worker) {
    try (BufferedReader reader = worker.process().inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        cues.add(new Cue(worker, Mark.parse(line)));
      }
    } catch (IOException | UncheckedIOException e) {
      // The process was killed.
    } catch (IllegalArgumentException e) {
      System.err.println(worker.name() + " said what is no mark: " + e.getMessage());
    }
    cues.add(new Cue(worker, Mark.of(Kind.ENDED)));
  }

  private static String seconds(long start) {
    return "%.0f s".formatted((System.nanoTime() - start) / 1e9);
  }
}
