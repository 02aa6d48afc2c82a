package dev.fencing.harness.stage;

import dev.fencing.fixtures.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One incarnation of a worker. Thread-safe. */
final class WorkerProcess {

  private static final Duration NO_BOUND = Duration.ofDays(1);

  private final int worker;
  private final ChildJvm jvm;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String failure;

  private WorkerProcess(int worker, ChildJvm jvm) {
    this.worker = worker;
    this.jvm = jvm;
    Thread reader = new Thread(this::readLines, "worker-" + worker + "-lines");
    reader.setDaemon(true);
    reader.start();
  }

  static WorkerProcess start(
      int worker,
      Map<String, String> environment,
      List<String> options,
      Class<?> main,
      List<String> args)
      throws IOException {
    return new WorkerProcess(
        worker, ChildJvm.start(environment, options, main, args.toArray(String[]::new)));
  }

  private void readLines() {
    try {
      while (true) {
        String line = jvm.readLine(NO_BOUND);
        if (line.startsWith("failed ")) {
          failure = line.substring("failed ".length());
        }
        lines.add(line);
      }
    } catch (InterruptedException | AssertionError end) {
      ended.countDown();
    }
  }

  synchronized void send(String line) throws IOException {
    jvm.send(line);
  }

  /**
   * Returns the next line that begins so; others are thrown away.
   *
   * @return null if none came in time, or the process ended
   */
  @Nullable String await(String beginning, Duration bound) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < bound.toNanos()) {
      String line = lines.poll(50, TimeUnit.MILLISECONDS);
      if (line != null && line.startsWith(beginning)) {
        return line;
      }
      if (line == null && ended.getCount() == 0 && lines.isEmpty()) {
        return null;
      }
    }
    return null;
  }

  /** Why it gave up by itself, if it did. */
  @Nullable String failure() {
    return failure;
  }

  boolean awaitEnd(Duration bound) throws InterruptedException {
    return ended.await(bound.toMillis(), TimeUnit.MILLISECONDS);
  }

  long pid() {
    return jvm.handle().pid();
  }

  int kill() throws InterruptedException {
    return jvm.kill();
  }

  int worker() {
    return worker;
  }
}
