package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.ArmRun;
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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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
 * <p>Exit code 0: all is as promised. 1: a fenced arm or a lock of the database has lost an update,
 * or a history contradicts itself. 2: an option is wrong. 3: a server or a worker was lost or did
 * not start, or a file cannot be written.
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
              } else if (e instanceof IOException) { // Of files, whose messages are but a name.
                err.println("lock-comparison: " + e);
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
    if (arms.isEmpty()) {
      throw new ServerException("no arm is left to be run");
    }
    Files.createDirectories(options.directory);
    Map<String, String> circumstances = circumstances();
    circumstances.forEach((name, value) -> out.println(name + ": " + value));
    try (Servers servers = Servers.open(options.redisPort, options.redisProgram)) {
      return write(new Report(circumstances, results(arms, servers, circumstances), skipped));
    }
  }

  private Map<String, String> circumstances() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("begun", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put(
        "machine",
        "%d cores, %s %s, JDK %s"
            .formatted(
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                System.getProperty("java.version")));
    facts.putAll(options.circumstances());
    return facts;
  }

  private List<ArmResult> results(
      List<Arm> arms, Servers servers, Map<String, String> circumstances) throws Exception {
    String jdbcUrl = options.database.start(servers);
    Map<Arm, List<ArmRun>> contended;
    Map<Arm, ArmRun> onLoopback = Map.of();
    Map<Arm, ArmRun> farAway = Map.of();
    try (Progress progress = new Progress(out, arms.size() * options.runs * options.transactions)) {
      contended = new Contest(servers, jdbcUrl, options, progress).run(arms);
      if (options.rounds > 0) {
        // Without a failover it is redis-set-nx.
        List<Arm> alone = arms.stream().filter(arm -> arm != Arm.REDIS_FAILOVER).toList();
        try (Stage stage = options.stage(servers, jdbcUrl)) {
          CpuTime before = CpuTime.now();
          Uncontended uncontended = new Uncontended(stage, options.rounds);
          progress.say("latency, %d rounds on loopback".formatted(options.rounds));
          onLoopback = uncontended.onLoopback(alone);
          progress.say("latency, %d rounds behind the proxies".formatted(options.rounds));
          farAway = uncontended.farAway(alone);
          circumstances.put(
              "CPU time that the machine's host took for others while the latency was measured",
              CpuTime.now().stolenSince(before));
        }
      }
    }
    List<ArmResult> results = new ArrayList<>();
    for (Arm arm : arms) {
      List<ArmRun> runs = contended.getOrDefault(arm, List.of());
      results.add(Results.of(arm, runs, onLoopback.get(arm), farAway.get(arm)));
    }
    return results;
  }

  private int write(Report report) throws IOException {
    out.println();
    out.println(report.terminal());
    report.writeText(options.directory.resolve("lock-comparison.txt"));
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
