package dev.fencing.harness.run;

import dev.fencing.harness.arm.Arm;
import dev.fencing.harness.history.Workload;
import dev.fencing.harness.report.Meta;
import dev.fencing.harness.report.Recheck;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line.
 *
 * <p>Exit code 0: every run of the product is valid, and every mutant was caught. 1: not so. 2: an
 * argument is wrong. 3: not finished.
 */
@Command(
    name = "fault-harness",
    description = "Freezes, cuts and kills, and looks whether an update was lost.",
    sortOptions = false)
public final class Harness implements Callable<Integer> {

  static final int WELL = 0;
  static final int WRONG = 1;
  static final int MISUSED = 2;
  static final int UNFINISHED = 3;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description = "short (90 s), long (45 min) or release (2 h); default: ${DEFAULT-VALUE}.")
  private Profile profile = Profile.SHORT;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      description = "Draws the same faults again; default: a new one, which is printed.")
  private @Nullable Long seed;

  @Option(
      names = "--arms",
      split = ",",
      paramLabel = "NAME",
      description = "Only these arms of the profile; --list shows their names.")
  private List<String> arms = List.of();

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      description = "Only this workload: ${COMPLETION-CANDIDATES}.")
  private @Nullable Workload workload;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Each run for so long, and not for as long as the profile says.")
  private @Nullable Integer seconds;

  @Option(
      names = "--output",
      paramLabel = "DIRECTORY",
      description = "Where histories and reports go; default: target/fault-harness.")
  private @Nullable Path output;

  @Option(
      names = "--worker-option",
      hidden = true,
      description = "An option of the workers' JVMs, for tests of the harness.")
  private List<String> workerOptions = List.of();

  @Option(
      names = "--check",
      arity = "1..*",
      paramLabel = "DIRECTORY",
      description =
          "Judge these directories of runs again, by what --profile asks of a run, and run nothing.")
  private List<Path> check = List.of();

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "With --check: write the page there.")
  private @Nullable Path html;

  @Option(
      names = "--results",
      paramLabel = "FILE",
      description =
          "With --check: write the results of the profile there, in place of its section.")
  private @Nullable Path results;

  @Option(names = "--list", description = "Show what the profile runs, and exit.")
  private boolean list;

  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  private boolean help;

  private final PrintStream out;

  private Harness(PrintStream out) {
    this.out = out;
  }

  /** Runs and exits. */
  public static void main(String[] args) {
    System.exit(run(System.out, args));
  }

  static int run(PrintStream out, String... args) {
    return new CommandLine(new Harness(out))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExitCodeExceptionMapper(
            e -> e instanceof CommandLine.ParameterException ? MISUSED : UNFINISHED)
        .execute(args);
  }

  @Override
  public Integer call() throws Exception {
    if (!check.isEmpty()) {
      Meta meta =
          new Meta(profile.toString(), Versions.today() + ", judged again", 0, Versions.all());
      return Recheck.check(check, profile.thresholds(), meta, html, results, out);
    }
    SortedMap<Integer, Act> acts = acts();
    if (list) {
      acts.values()
          .forEach(
              act ->
                  out.printf(
                      "%-36s %5d s  %s%n", act, act.length().toSeconds(), act.arm().description()));
      return WELL;
    }
    long drawn = seed == null ? new SecureRandom().nextInt(1_000_000) : seed;
    out.println("seed " + drawn + ": --seed " + drawn + " draws the same faults");
    return new Session(out, profile, acts, drawn, directory(), workerOptions).run(resultsFile());
  }

  /** Those that were asked for, by their place in the profile. */
  private SortedMap<Integer, Act> acts() {
    requireArms();
    SortedMap<Integer, Act> chosen = new TreeMap<>();
    List<Act> all = profile.acts();
    for (int i = 0; i < all.size(); i++) {
      Act act = all.get(i);
      boolean named = arms.isEmpty() || arms.contains(act.arm().title());
      if (named && (workload == null || act.workload() == workload)) {
        chosen.put(i, seconds == null ? act : act.lasting(Duration.ofSeconds(seconds)));
      }
    }
    if (chosen.isEmpty()) {
      throw bad("profile " + profile + " has no run of this arm and workload");
    }
    return chosen;
  }

  private void requireArms() {
    List<String> known = Arrays.stream(Arm.values()).map(Arm::title).toList();
    for (String arm : arms) {
      if (!known.contains(arm)) {
        throw bad(
            "there is no arm \"%s\" but %s"
                .formatted(arm, known.stream().collect(Collectors.joining(", "))));
      }
    }
    if (seconds != null && seconds < 1) {
      throw bad("--seconds must be 1 or more but is " + seconds);
    }
  }

  private CommandLine.ParameterException bad(String why) {
    return new CommandLine.ParameterException(new CommandLine(this), why);
  }

  private Path directory() {
    Path base = output == null ? home().resolve("target").resolve("fault-harness") : output;
    return base.resolve(
        LocalDateTime.now(ZoneId.systemDefault())
            .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")));
  }

  /** Where the results of a whole profile are kept; null for a part of one, and the short one. */
  private @Nullable Path resultsFile() {
    boolean whole = arms.isEmpty() && workload == null && seconds == null;
    return whole && profile != Profile.SHORT
        ? home().toAbsolutePath().normalize().resolveSibling("RESULTS.md")
        : null;
  }

  private static Path home() {
    return Path.of(System.getProperty("fencing.harness.directory", "."));
  }
}
