package dev.fencing.harness.run;

import dev.fencing.harness.history.RunDirectory;
import dev.fencing.harness.nemesis.Marks;
import dev.fencing.harness.report.Meta;
import dev.fencing.harness.report.Report;
import dev.fencing.harness.report.Result;
import dev.fencing.harness.stage.HarnessException;
import dev.fencing.harness.stage.Stage;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Everything from the first server to the report, once. */
final class Session {

  private static final Duration REPORT = Duration.ofSeconds(30);

  private final PrintStream out;
  private final Profile profile;
  private final SortedMap<Integer, Act> acts;
  private final long seed;
  private final Path directory;
  private final List<String> workerOptions;
  private final List<Result> results = new ArrayList<>();
  private final CountDownLatch reported = new CountDownLatch(1);
  private @Nullable Stage stage;
  private boolean interrupted;

  /**
   * @param acts by their place in the profile, from which their seeds come
   * @param directory for the histories; made here
   */
  Session(
      PrintStream out,
      Profile profile,
      SortedMap<Integer, Act> acts,
      long seed,
      Path directory,
      List<String> workerOptions) {
    this.out = out;
    this.profile = profile;
    this.acts = acts;
    this.seed = seed;
    this.directory = directory;
    this.workerOptions = workerOptions;
  }

  /** Runs all, reports what there is, and returns the exit code. */
  int run(@Nullable Path resultsFile) throws IOException {
    Thread hook = new Thread(this::interrupt, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    boolean finished = false;
    try {
      perform();
      finished = true;
    } catch (RuntimeException | IOException | SQLException e) {
      out.println("not finished: " + (isInterrupted() ? "interrupted" : why(e)));
      if (!isInterrupted()
          && !(e instanceof HarnessException || e instanceof FileSystemException)) {
        e.printStackTrace(out);
      }
    } catch (InterruptedException e) {
      out.println("not finished: interrupted");
      Thread.currentThread().interrupt();
    }
    try {
      return report(
          new Meta(profile.toString(), Versions.today(), seed, Versions.all()),
          finished,
          resultsFile);
    } finally {
      reported.countDown();
      if (!isInterrupted()) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    }
  }

  /** The message of a file's exception is often its name alone. */
  private static String why(Exception e) {
    return e instanceof HarnessException ? String.valueOf(e.getMessage()) : e.toString();
  }

  private void perform() throws IOException, InterruptedException, SQLException {
    Files.createDirectories(directory);
    Duration total = acts.values().stream().map(Act::length).reduce(Duration.ZERO, Duration::plus);
    try (Progress progress = new Progress(out, total);
        Marks marks = Marks.listen()) {
      progress.say(
          "starting %d ZooKeeper servers, PostgreSQL and %d workers"
              .formatted(Stage.SERVERS, Stage.WORKERS));
      try (Stage opened = open(marks)) {
        progress.say("PostgreSQL has " + opened.database().durability());
        ActRun runner = new ActRun(opened, marks, progress, this::isInterrupted);
        for (Map.Entry<Integer, Act> entry : acts.entrySet()) {
          int number = entry.getKey();
          Act act = entry.getValue();
          progress.begin(act);
          RunDirectory files =
              runner.run(
                  act,
                  number,
                  seed + number,
                  directory.resolve("%02d-%s".formatted(number, act.name())));
          Result result = Result.of(files, profile.thresholds());
          results.add(result);
          progress.end(result.asItShould(), result.outcome());
        }
      }
    }
  }

  private Stage open(Marks marks) throws IOException, InterruptedException {
    Stage opened = Stage.open(marks.port(), workerOptions);
    synchronized (this) {
      if (!interrupted) {
        stage = opened;
        return opened;
      }
    }
    opened.close();
    throw new HarnessException("interrupted");
  }

  private int report(Meta meta, boolean finished, @Nullable Path resultsFile) throws IOException {
    Report report = new Report(meta, results);
    if (!results.isEmpty()) {
      out.println(report.terminal());
      Path page = directory.resolve("report.html");
      report.writeHtml(page);
      out.println("page: " + page.toAbsolutePath().normalize().toUri());
    }
    out.println("histories: " + directory.toAbsolutePath().normalize());
    if (!finished) {
      return Harness.UNFINISHED;
    }
    if (resultsFile != null) {
      report.writeResults(resultsFile);
      out.println("results: " + resultsFile.toAbsolutePath().normalize());
    }
    return report.asItShould() ? Harness.WELL : Harness.WRONG;
  }

  private synchronized boolean isInterrupted() {
    return interrupted;
  }

  /** Ctrl-C: ends everything, and leaves the time to report what there is. */
  private void interrupt() {
    Stage open;
    synchronized (this) {
      interrupted = true;
      open = stage;
    }
    out.println("interrupted: ending workers and servers");
    try {
      if (open != null) {
        open.close();
      }
      if (!reported.await(REPORT.toMillis(), TimeUnit.MILLISECONDS)) {
        out.println("no report within " + REPORT.toSeconds() + " s");
      }
    } catch (IOException e) {
      out.println("not all is ended: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
