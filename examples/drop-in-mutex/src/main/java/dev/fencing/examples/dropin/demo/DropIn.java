package dev.fencing.examples.dropin.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.job.demo.Backstage;
import dev.fencing.examples.job.demo.DemoException;
import dev.fencing.examples.job.demo.Pools;
import dev.fencing.examples.job.demo.Servers;
import dev.fencing.examples.job.demo.Signals;
import dev.fencing.examples.job.demo.Timeline;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Switches an application from {@code InterProcessMutex} to fenced writes while it works.
 *
 * <p>Exit code 0: in every step exclusion held, and stale writes landed and were refused as
 * docs/rolling-switch.md says. 1: something was not as documented. 2: an argument is wrong. 3: the
 * switch did not get to its end. 130: interrupted.
 */
@Command(
    name = "drop-in-mutex",
    description =
        "Switches an application from InterProcessMutex to fenced writes while it works, and"
            + " freezes a holder of the lock in every step.",
    sortOptions = false)
public final class DropIn implements Callable<Integer> {

  /** Something was not as documented. */
  static final int NOT_AS_DOCUMENTED = 1;

  /** With fewer, one could be done before the other has begun. */
  private static final int LEAST_ORDERS = 5;

  private static final int MOST_ORDERS = 1_000;

  @Option(
      names = "--orders",
      paramLabel = "COUNT",
      description =
          "How many orders each instance ships at least whenever they work side by side, 5 to"
              + " 1000 (default: ${DEFAULT-VALUE}).")
  private int orders = 40;

  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  private boolean help;

  private final PrintStream out;
  private @Nullable Backstage backstage;

  private DropIn(PrintStream out) {
    this.out = out;
  }

  /** Plays the switch and exits. */
  public static void main(String[] args) {
    int exitCode;
    try {
      exitCode = run(System.out, System.err, args);
    } catch (Error e) {
      e.printStackTrace();
      exitCode = DemoException.UNFINISHED; // Java itself would report 1.
    }
    System.exit(exitCode);
  }

  /** Plays the switch and returns its exit code. */
  static int run(PrintStream out, PrintStream err, String... args) {
    DropIn dropIn = new DropIn(out);
    return new CommandLine(dropIn)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler(
            (e, a) ->
                dropIn.fail(
                    err, DemoException.badInput(e.getMessage() + "; --help shows the options")))
        .setExecutionExceptionHandler((e, commandLine, result) -> dropIn.fail(err, e))
        .execute(args);
  }

  private int fail(PrintStream err, Exception e) {
    if (backstage != null && backstage.isInterrupted()) {
      return DemoException.UNFINISHED;
    }
    if (e instanceof DemoException expected) {
      err.println("drop-in-mutex: " + e.getMessage());
      return expected.exitCode();
    }
    e.printStackTrace(err);
    return DemoException.UNFINISHED;
  }

  @Override
  public Integer call() throws Exception {
    if (orders < LEAST_ORDERS || orders > MOST_ORDERS) {
      throw DemoException.badInput(
          "--orders must be %d to %d but is %d".formatted(LEAST_ORDERS, MOST_ORDERS, orders));
    }
    if (!Signals.supported()) {
      throw DemoException.badInput(
          "Windows has no SIGSTOP, with which this program freezes a process; run it on Linux,"
              + " macOS or in WSL");
    }
    Timeline timeline = new Timeline(out);
    Findings findings = new Findings();
    try (Backstage stage = Backstage.open(timeline)) {
      backstage = stage;
      Servers servers = stage.startServers();
      try (HikariDataSource pool = Pools.open(servers.database(), "drop-in-mutex", 2)) {
        var tables = new ShopTables(pool);
        new RollingSwitch(stage, servers, tables, timeline, orders, findings).play();
      } catch (DemoException e) {
        if (!stage.isInterrupted()) {
          findings.printRows(out); // What it has shown up to there.
        }
        throw e;
      }
    }
    findings.printRows(out);
    findings.printVerdict(out);
    return findings.asDocumented() ? 0 : NOT_AS_DOCUMENTED;
  }
}
