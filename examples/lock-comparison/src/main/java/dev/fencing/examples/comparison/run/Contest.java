package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.RunFiles;
import dev.fencing.examples.comparison.server.Servers;
import dev.fencing.examples.comparison.work.Crew;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The contended runs of all arms, of which some may go on at the same time, each with a database
 * and workers of its own.
 */
final class Contest {

  private static final int STOP_SECONDS = 30;

  private final Servers servers;
  private final String jdbcUrl;
  private final Options options;
  private final Progress progress;
  private final Queue<Arm> left = new ConcurrentLinkedQueue<>();
  private final Map<Arm, List<ArmRun>> done = new ConcurrentHashMap<>();

  /**
   * @param jdbcUrl of a database on the server on which all run
   */
  Contest(Servers servers, String jdbcUrl, Options options, Progress progress) {
    this.servers = servers;
    this.jdbcUrl = jdbcUrl;
    this.options = options;
    this.progress = progress;
  }

  /** Runs them, and keeps the history of each run; the first failure ends all. */
  Map<Arm, List<ArmRun>> run(List<Arm> arms) throws Exception {
    left.addAll(arms);
    int atOnce = Math.min(options.atOnce, arms.size());
    ExecutorService threads = Executors.newFixedThreadPool(atOnce);
    CompletionService<Void> ends = new ExecutorCompletionService<>(threads);
    try {
      for (int i = 0; i < atOnce; i++) {
        String url = Stage.anotherDatabase(jdbcUrl, "arm_" + (i + 1));
        ends.submit(() -> share(url));
      }
      for (int i = 0; i < atOnce; i++) {
        ends.take().get();
      }
      return done;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    }
  }

  private Void share(String url) throws Exception {
    try (Stage stage = options.stage(servers, url);
        Crew crew = Crew.start(servers, options.workers)) {
      Contended contended = new Contended(stage, options.rows, options.workers);
      for (Arm arm = left.poll(); arm != null; arm = left.poll()) {
        List<ArmRun> runs = new ArrayList<>();
        for (int run = 1; run <= options.runs; run++) {
          runs.add(run(contended, crew, arm, run));
        }
        done.put(arm, runs);
      }
      return null;
    }
  }

  private ArmRun run(Contended contended, Crew crew, Arm arm, int run) throws Exception {
    String name = options.runs == 1 ? arm.toString() : "%s, run %d".formatted(arm, run);
    Progress.Part part = progress.begin(name, options.transactions);
    ArmRun done = contended.run(crew, arm, options.schedule(run - 1), part::counting);
    part.end(
        String.format(
            Locale.ROOT,
            "lease %d ms, %.1f s, %d pauses, %d of them longer than the lease",
            done.leaseMillis(),
            (done.endedAt() - done.startedAt()) / 1e9,
            done.pauses(),
            done.pausesLongerThanLease()));
    new RunFiles(options.directory.resolve(arm + "-" + run)).write(done);
    return done;
  }
}
