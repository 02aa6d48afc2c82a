package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Workload;
import dev.fencing.examples.comparison.server.Servers;
import dev.fencing.examples.comparison.work.Planned;
import dev.fencing.examples.comparison.work.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What can be chosen. */
final class Options {

  private static final Duration FULL_LEASE = Duration.ofSeconds(3);
  private static final Duration SCALED_LEASE = Duration.ofMillis(600);
  private static final double SHORTEST_PAUSE = 1 / 3.0;
  private static final double LONGEST_PAUSE = 5 / 3.0;

  @Option(names = "--arms", split = ",", paramLabel = "ARM", description = "Only these.")
  List<String> names = List.of();

  @Option(names = "--list", description = "Show the arms and what they promise, and exit.")
  boolean list;

  @Option(
      names = "--full",
      description =
          "Leases of 3 s and pauses of 1 to 5 s, instead of 600 ms and pauses of 200 ms to 1 s.")
  boolean full;

  @Option(names = "--transactions", defaultValue = "1000", description = "Of each arm and run.")
  int transactions;

  @Option(names = "--runs", defaultValue = "1", description = "Of each arm, each with its seed.")
  int runs;

  @Option(
      names = "--at-once",
      defaultValue = "2",
      paramLabel = "ARMS",
      description =
          "So many arms run at the same time, each with a database and workers of its own.")
  int atOnce;

  @Option(
      names = "--pause-probability",
      defaultValue = "0.05",
      description = "How likely a transaction is stopped in its critical section.")
  double probability;

  @Option(
      names = "--shortest-pause",
      paramLabel = "LEASES",
      description = "In leases of the arm (default: a third).")
  double shortest = SHORTEST_PAUSE;

  @Option(
      names = "--longest-pause",
      paramLabel = "LEASES",
      description = "In leases of the arm (default: five thirds).")
  double longest = LONGEST_PAUSE;

  @Option(
      names = "--lease-millis",
      description = "Instead of 600 or, with --full, 3000; etcd rounds up to seconds.")
  @Nullable Long leaseMillis;

  @Option(names = "--seed", defaultValue = "1", description = "Of the schedule of the first run.")
  long seed;

  @Option(names = "--workers", defaultValue = "8", description = "Processes.")
  int workers;

  @Option(names = "--rows", defaultValue = "8", description = "Accounts, or stocks of coupons.")
  int rows;

  @Option(
      names = "--think-millis",
      defaultValue = "5",
      description = "Between the read and the write.")
  long thinkMillis;

  @Option(names = "--workload", defaultValue = "ACCOUNTS", description = "${COMPLETION-CANDIDATES}")
  Workload workload = Workload.ACCOUNTS;

  @Option(
      names = "--database",
      defaultValue = "POSTGRESQL",
      description = "${COMPLETION-CANDIDATES}")
  Stage.Database database = Stage.Database.POSTGRESQL;

  @Option(
      names = "--latency-rounds",
      defaultValue = "200",
      description =
          "Uncontended transactions, on loopback and again over a line of 2 ms, the arms in turn; 0: none.")
  int rounds;

  @Option(
      names = "--redis-server",
      paramLabel = "FILE",
      defaultValue = "",
      description = "A redis-server to use instead of the embedded one.")
  String redisProgram = "";

  @Option(
      names = "--redis-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Of the first Redis, the next ones follow (default: any that are free).")
  int redisPort;

  @Option(
      names = "--out",
      paramLabel = "DIRECTORY",
      description = "For the report and the histories (default: lock-comparison in target).")
  Path directory =
      Path.of(System.getProperty("fencing.comparison.target", "target"), "lock-comparison");

  @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

  /** What is done in a run, from 0. */
  List<Planned> schedule(int run) {
    return new Schedule(seed + run, workload, transactions, rows, probability, shortest, longest)
        .draw();
  }

  /** The lease to ask for. */
  Duration lease() {
    return leaseMillis != null ? Duration.ofMillis(leaseMillis) : full ? FULL_LEASE : SCALED_LEASE;
  }

  /** What one arm at a time runs on. */
  Stage stage(Servers servers, String jdbcUrl) {
    return new Stage(servers, workload, jdbcUrl, lease(), Duration.ofMillis(thinkMillis));
  }

  /** Refuses what makes no sense. */
  void check() {
    require(
        transactions > 0 && transactions <= Schedule.MOST_TRANSACTIONS,
        "--transactions must be from 1 to " + Schedule.MOST_TRANSACTIONS);
    require(runs > 0, "--runs must be at least 1");
    require(atOnce > 0, "--at-once must be at least 1");
    require(workers > 0, "--workers must be at least 1");
    require(rows > 0, "--rows must be at least 1");
    require(thinkMillis >= 0, "--think-millis must not be negative");
    require(rounds >= 0, "--latency-rounds must not be negative");
    require(probability >= 0 && probability <= 1, "--pause-probability must be from 0 to 1");
    require(
        shortest >= 0 && longest >= shortest,
        "--longest-pause must not be less than --shortest-pause");
    require(leaseMillis == null || leaseMillis >= 100, "--lease-millis must be at least 100");
  }

  private void require(boolean right, String message) {
    if (!right) {
      throw bad(message);
    }
  }

  private ParameterException bad(String message) {
    if (spec == null) {
      throw new IllegalStateException("picocli sets it");
    }
    return new ParameterException(spec.commandLine(), message);
  }

  /** Those that were named, or all. */
  List<Arm> arms() {
    if (names.isEmpty()) {
      return new ArrayList<>(List.of(Arm.values()));
    }
    List<Arm> arms = new ArrayList<>();
    for (String name : new LinkedHashSet<>(names)) {
      arms.add(
          Arrays.stream(Arm.values())
              .filter(arm -> arm.toString().equals(name.strip()))
              .findFirst()
              .orElseThrow(() -> bad("there is no arm \"" + name + "\"; --list shows them")));
    }
    return arms;
  }

  /** What was run, for people. */
  Map<String, String> circumstances() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("database", database.toString().toLowerCase(Locale.ROOT));
    facts.put("workload", workload.toString().toLowerCase(Locale.ROOT));
    facts.put("transactions", "%d a run, seed %d".formatted(transactions, seed));
    facts.put("runs of each arm", Integer.toString(runs));
    facts.put("arms at once", Integer.toString(atOnce));
    facts.put("lease asked for", lease().toMillis() + " ms");
    facts.put(
        "pauses",
        String.format(
            Locale.ROOT,
            "with a probability of %.2f, of %.2f to %.2f leases: %d to %d ms",
            probability,
            shortest,
            longest,
            Math.round(shortest * lease().toMillis()),
            Math.round(longest * lease().toMillis())));
    facts.put("workers", "%d on %d rows, thinking %d ms".formatted(workers, rows, thinkMillis));
    return facts;
  }
}
