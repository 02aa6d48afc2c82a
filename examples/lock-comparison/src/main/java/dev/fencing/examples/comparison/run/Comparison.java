package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.RunFiles;
import dev.fencing.examples.comparison.report.ArmResult;
import dev.fencing.examples.comparison.report.Report;
import dev.fencing.examples.comparison.server.ServerException;
import dev.fencing.examples.comparison.server.Servers;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs one lock after the other, freezes its holders, and tells what became of the data.
 *
 * <p>Exit code 0: all is as promised. 1: a fenced arm has lost an update, or a history contradicts
 * itself. 2: an option is wrong. 3: a server or a worker was lost, or did not start.
 */
@Command(
    name = "lock-comparison",
    description = "Freezes the holders of locks on real servers, and counts the lost updates.",
    sortOptions = false,
    usageHelpAutoWidth = true)
public final class Comparison implements Callable<Integer> {

  // Kept, or the level would be forgotten with the logger.
  private static final Logger RPC_LOG = Logger.getLogger("io.grpc");

  private static final int WRONG = 1;
  private static final int BAD_OPTION = 2;
  private static final int UNFINISHED = 3;

  private static final int MOST_WARM_UPS = 100;

  @CommandLine.Mixin private Options options = new Options();

  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  private boolean help;

  private final PrintStream out;

  private Comparison(PrintStream out) {
    this.out = out;
  }

  /** Runs the comparison and exits. */
  public static void main(String[] args) {
    RPC_LOG.setLevel(Level.SEVERE);
    System.exit(run(System.out, System.err, args));
  }

  /** Runs the comparison and returns its exit code. */
  static int run(PrintStream out, PrintStream err, String... args) {
    return new CommandLine(new Comparison(out))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler(
            (e, given) -> {
              err.println("lock-comparison: " + e.getMessage() + "; --help shows the options");
              return BAD_OPTION;
            })
        .setExecutionExceptionHandler(
            (e, commandLine, result) -> {
              if (e instanceof ServerException) {
                err.println("lock-comparison: " + e.getMessage());
              } else {
                e.printStackTrace(err);
              }
              return UNFINISHED;
            })
        .execute(args);
  }

  @Override
  public Integer call() throws Exception {
    if (options.list) {
      Arrays.stream(Arm.values()).forEach(arm -> out.printf("%-24s %s%n", arm, arm.promise()));
      return 0;
    }
    options.check();
    List<Arm> arms = options.arms();
    Map<String, String> skipped = skipped(arms);
    arms.removeIf(arm -> skipped.containsKey(arm.toString()));
    skipped.forEach((arm, reason) -> out.println(arm + " is skipped: " + reason));
    Files.createDirectories(options.directory);
    options.circumstances().forEach((name, value) -> out.println(name + ": " + value));
    List<ArmResult> results = new ArrayList<>();
    try (Servers servers = Servers.open(options.redisPort, options.redisProgram);
        Stage stage =
            new Stage(
                servers,
                options.workload,
                options.database.start(servers),
                options.lease(),
                Duration.ofMillis(options.thinkMillis));
        Progress progress = new Progress(out, arms.size() * options.runs * options.transactions)) {
      for (Arm arm : arms) {
        results.add(run(arm, stage, progress));
      }
    }
    return report(new Report(options.circumstances(), results, skipped));
  }

  private ArmResult run(Arm arm, Stage stage, Progress progress) throws Exception {
    List<ArmRun> contended = new ArrayList<>();
    for (int run = 0; run < options.runs; run++) {
      String name = options.runs == 1 ? arm.toString() : "%s, run %d".formatted(arm, run + 1);
      progress.begin(name, options.transactions);
      ArmRun done =
          new Contended(stage, options.rows, options.workers)
              .run(arm, options.schedule(run), progress::counting);
      progress.end(
          String.format(
              Locale.ROOT,
              "lease %d ms, %.1f s, %d pauses, %d of them longer than the lease",
              done.leaseMillis(),
              (done.endedAt() - done.startedAt()) / 1e9,
              done.pauses(),
              done.pausesLongerThanLease()));
      new RunFiles(options.directory.resolve(arm + "-" + (run + 1))).write(done);
      contended.add(done);
    }
    // Without a failover it is redis-set-nx.
    if (options.rounds == 0 || arm == Arm.REDIS_FAILOVER) {
      return Results.of(arm, contended, null, null);
    }
    Uncontended uncontended =
        new Uncontended(stage, Math.min(MOST_WARM_UPS, options.rounds), options.rounds);
    progress.say(arm + ": latency");
    return Results.of(arm, contended, uncontended.onLoopback(arm), uncontended.farAway(arm));
  }

  private int report(Report report) throws IOException {
    out.println();
    out.println(report.terminal());
    Path page = options.directory.resolve("lock-comparison.html");
    report.writeCsv(options.directory.resolve("lock-comparison.csv"));
    report.writeHtml(page);
    out.println("Page: " + page.toAbsolutePath().normalize().toUri());
    return report.asItShould() ? 0 : WRONG;
  }

  private static Map<String, String> skipped(List<Arm> arms) {
    Map<String, String> skipped = new LinkedHashMap<>();
    if (Servers.etcdProgram().isEmpty()) {
      arms.stream()
          .filter(arm -> arm.need() == Arm.Need.ETCD)
          .forEach(arm -> skipped.put(arm.toString(), "no program \"etcd\" is on the PATH"));
    }
    return skipped;
  }
}
