package dev.fencing.harness.run;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.RunDirectory;
import dev.fencing.harness.history.RunEnd;
import dev.fencing.harness.nemesis.Marks;
import dev.fencing.harness.nemesis.Nemesis;
import dev.fencing.harness.nemesis.Schedule;
import dev.fencing.harness.stage.Ensemble;
import dev.fencing.harness.stage.HarnessException;
import dev.fencing.harness.stage.Stage;
import dev.fencing.harness.stage.Workers;
import dev.fencing.harness.worker.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Runs one arm on the stage, from empty tables to the files that the checker reads. */
final class ActRun {

  private static final Duration STOP = Duration.ofSeconds(60);
  private static final Duration HEAL = Duration.ofSeconds(60);

  /** On a busy machine a new process takes seconds to its first read. */
  private static final Duration BEGIN = Duration.ofSeconds(30);

  private final Stage stage;
  private final Marks marks;
  private final Progress progress;
  private final BooleanSupplier interrupted;

  ActRun(Stage stage, Marks marks, Progress progress, BooleanSupplier interrupted) {
    this.interrupted = interrupted;
    this.stage = stage;
    this.marks = marks;
    this.progress = progress;
  }

  /**
   * Runs it.
   *
   * @param number of the run on this stage; its locks and their tokens are its own
   * @param directory for its files; made here
   * @throws HarnessException if it did not get to its end; what the workers have written is there
   */
  RunDirectory run(Act act, int number, long seed, Path directory)
      throws IOException, InterruptedException, SQLException {
    RunDirectory files = new RunDirectory(Files.createDirectories(directory));
    RunTables tables = new RunTables(stage.database(), act.workload());
    tables.create();
    String root = "/run-" + number;
    long origin = System.nanoTime();
    Nemesis nemesis = new Nemesis(stage, marks, root, origin);
    try {
      stage
          .workers()
          .run(
              new Order(
                  act.arm(),
                  act.workload(),
                  root,
                  files.path(),
                  origin,
                  seed,
                  act.raise(),
                  act.idle()));
      marks.awaitOnEveryLock(Mark.AFTER_READ, BEGIN);
      long begin = System.nanoTime();
      nemesis.start(Schedule.of(seed, act.mix(), act.length()));
      work(act, nemesis, begin);
      nemesis.stop();
    } catch (IOException | InterruptedException | RuntimeException e) {
      nemesis.abandon();
      keepFaults(files, nemesis, origin, e);
      throw e;
    }
    files.writeFaults(faults(nemesis, origin));
    double seconds = (System.nanoTime() - origin) / 1e9;
    stage.workers().stop(STOP);
    Map<String, Map<Integer, Double>> healed = stage.workers().heal(HEAL);
    Leftovers left = Leftovers.of(stage.ensemble(), stage.database(), root);
    files.writeLog(tables.log());
    files.merge();
    files.writeEnd(
        new RunEnd(
            act.arm().title(),
            act.workload(),
            seed,
            seconds,
            Stage.SESSION.toMillis(),
            Ensemble.TICK.toMillis(),
            left.children(),
            left.ephemerals(),
            left.transactions(),
            nemesis.expiries(),
            healed,
            tables.total(),
            tables.expectedTotal(),
            List.of(),
            act.arm().caughtBy()));
    return files;
  }

  private void keepFaults(RunDirectory files, Nemesis nemesis, long origin, Exception first) {
    try {
      files.writeFaults(faults(nemesis, origin));
    } catch (IOException e) {
      first.addSuppressed(e);
    }
  }

  /** What was planned, and the workers that died by themselves or by somebody else's hand. */
  private List<Fault> faults(Nemesis nemesis, long origin) {
    List<Fault> faults = new ArrayList<>(nemesis.faults());
    for (Workers.Death death : stage.workers().deaths()) {
      long time = death.time() - origin;
      if (time >= 0) {
        faults.add(
            new Fault(
                FaultKind.KILL_HOLDER,
                time,
                time,
                death.worker(),
                null,
                true,
                "it ended, and nobody here had killed it",
                "random"));
      }
    }
    return faults;
  }

  private void work(Act act, Nemesis nemesis, long begin) throws InterruptedException {
    while (System.nanoTime() - begin < act.length().toNanos()) {
      TimeUnit.MILLISECONDS.sleep(100);
      if (interrupted.getAsBoolean()) {
        throw new HarnessException("interrupted");
      }
      progress.at(System.nanoTime() - begin, nemesis.faults().size());
      List<String> failures = stage.workers().failures();
      if (!failures.isEmpty()) {
        throw new HarnessException(String.join("; ", failures));
      }
      RuntimeException failed = nemesis.failure();
      if (failed != null) {
        throw failed;
      }
    }
  }
}
