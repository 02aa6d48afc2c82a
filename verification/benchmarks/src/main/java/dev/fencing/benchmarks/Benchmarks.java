package dev.fencing.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The benchmarks: the fenced mutex against Curator's, and fenced work in a database against the
 * same work unfenced, on the same servers in the same run.
 *
 * <p>Exit code 0: measured. 1: a target was missed, with {@code --check} only. 2: an argument is
 * wrong. 3: the run did not get to its end.
 */
@Command(
    name = "benchmarks",
    description =
        "Measures InterProcessFencedMutex against Curator's InterProcessMutex, and fenced SQL against"
            + " plain SQL.",
    sortOptions = false)
public final class Benchmarks implements Callable<Integer> {

  private static final int MISSED = 1;
  private static final int UNFINISHED = 3;

  private static final Map<String, Benchmark> ALL = all();

  /** The names of all benchmarks, for the help. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return ALL.keySet().iterator();
    }
  }

  @Option(names = "--quick", description = "Fewer and shorter rounds, one to two minutes in all.")
  private boolean quick;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      completionCandidates = Names.class,
      description = "Only these, by comma: ${COMPLETION-CANDIDATES}.")
  private @Nullable List<String> only;

  @Option(names = "--check", description = "Exit with 1 if a target is missed.")
  private boolean check;

  @Option(
      names = "--output",
      paramLabel = "DIRECTORY",
      description =
          "Where to write RESULTS.md, results.csv and results.png (default: the module's directory"
              + " for a full run, its target directory for a part of it).")
  private @Nullable Path output;

  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  private boolean help;

  @Spec private @Nullable CommandSpec spec;

  private final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

  private Benchmarks() {}

  private static Map<String, Benchmark> all() {
    Map<String, Benchmark> all = new LinkedHashMap<>();
    all.put("far", Uncontended::farAway);
    all.put("loopback", Uncontended::onLoopback);
    all.put("requests", Requests::uncontended);
    all.put("one-object", Contended::oneObject);
    all.put("clients", Contended::clients);
    all.put("processes", Processes::run);
    all.put("waiters", Requests::ofWaiters);
    all.put("leftovers", Leftovers::run);
    all.put("guard", Guard::transactions);
    all.put("statement", Guard::singleStatement);
    all.put("side-by-side", Guard::sideBySide);
    all.put("raise", Guard::raises);
    all.put("row", RowMode::updates);
    all.put("growth", Guard::growth);
    all.put("annotated", Annotated::calls);
    return all;
  }

  /** Runs the benchmarks and exits. */
  public static void main(String[] args) {
    int exitCode;
    try {
      exitCode =
          new CommandLine(new Benchmarks())
              .setExecutionExceptionHandler(
                  (e, commandLine, result) -> {
                    e.printStackTrace();
                    return UNFINISHED;
                  })
              .execute(args);
    } catch (Error e) {
      e.printStackTrace();
      exitCode = UNFINISHED; // Java itself would report 1.
    }
    System.exit(exitCode);
  }

  @Override
  public Integer call() throws Exception {
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    List<String> names = names();
    Path directory = directory();
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    Findings findings = new Findings();
    long start = System.nanoTime();
    try (ServerProcess server = ServerProcess.start()) {
      for (String name : names) {
        long begin = System.nanoTime();
        out.printf("[%d/%d] %s ... ", names.indexOf(name) + 1, names.size(), name);
        out.flush();
        findings.begin(name);
        ALL.getOrDefault(name, Benchmarks::unknown).run(server, effort, findings);
        out.printf("%d s%n", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
      }
    }
    Report report = new Report(findings, circumstances(effort, System.nanoTime() - start, load));
    out.println();
    out.println(report.terminal());
    String misses = report.misses();
    out.println(misses.isEmpty() ? "Every goal was met." : misses);
    report.write(directory);
    out.println(
        "Written: RESULTS.md, results.csv and, if there is something to draw, results.png in "
            + directory.normalize());
    return check && !findings.allTargetsMet() ? MISSED : 0;
  }

  private List<String> names() {
    if (only == null) {
      return List.copyOf(ALL.keySet());
    }
    for (String name : only) {
      if (!ALL.containsKey(name)) {
        throw badArgument("--only " + name + ": there are only " + ALL.keySet());
      }
    }
    return only;
  }

  private static void unknown(ServerProcess server, Effort effort, Findings findings) {
    throw new IllegalStateException("names() lets no unknown name pass");
  }

  /** Before anything is measured, which takes minutes. */
  private Path directory() {
    Path module = Path.of(System.getProperty("fencing.benchmarks.directory", ""));
    Path part = module.resolve("target").resolve("benchmarks");
    Path directory = output != null ? output : quick || only != null ? part : module;
    try {
      if (!directory.toString().isEmpty()) {
        Files.createDirectories(directory);
      }
      return directory;
    } catch (IOException e) {
      throw badArgument("--output: the results cannot be written to " + directory + ": " + e);
    }
  }

  private ParameterException badArgument(String message) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
  }

  private List<String> circumstances(Effort effort, long nanos, double load) {
    List<String> lines = new ArrayList<>();
    lines.add("date: " + Instant.now().truncatedTo(ChronoUnit.MINUTES));
    lines.add(
        "%s run of %d s: %d rounds of %d ms each"
            .formatted(
                quick ? "quick" : only == null ? "full" : "partial",
                Duration.ofNanos(nanos).toSeconds(),
                effort.rounds(),
                effort.time().toMillis()));
    lines.add(
        "JDK %s (%s), %d cores, %s %s"
            .formatted(
                System.getProperty("java.version"),
                System.getProperty("java.vm.name"),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch")));
    if (load >= 0) { // Some systems do not tell.
      lines.add(
          String.format(
              Locale.ROOT,
              "load average at the start: %.1f; what else runs on the machine is measured too",
              load));
    }
    lines.add(
        "Curator %s, ZooKeeper %s (client and server, one server in its own JVM, forceSync=no)"
            .formatted(
                InterProcessMutex.class.getPackage().getImplementationVersion(),
                Version.getVersion()));
    lines.add(
        "PostgreSQL on loopback with fsync and synchronous_commit on, HikariCP, prepared statements");
    return lines;
  }
}
