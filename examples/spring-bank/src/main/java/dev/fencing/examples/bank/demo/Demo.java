package dev.fencing.examples.bank.demo;

import dev.fencing.fixtures.Reaper;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The demo: two processes of the bank under load, of which one is frozen and one killed in turn.
 *
 * <p>Exit code 0: the ledger is right. 1: it is wrong. 2: an argument is wrong, and nothing was
 * started. 3: the story did not get to its end.
 */
@Command(
    name = "spring-bank",
    description = "Runs two processes of the bank, freezes and kills them, and audits the ledger.",
    sortOptions = false)
public final class Demo implements Callable<Integer> {

  private static final int WRONG = 1;
  private static final int BAD_INPUT = 2;
  private static final int UNFINISHED = 3;
  private static final int ACCOUNTS = 10;
  private static final long OPENING_CENTS = 100_000_000;
  private static final Duration PROGRESS = Duration.ofSeconds(2);

  @Option(
      names = "--rounds",
      defaultValue = "2",
      description = "How often one is frozen and the other killed, 0 to 1000 (default: 2).")
  private int rounds;

  @Option(
      names = "--clients",
      defaultValue = "6",
      description = "How many clients move money, 1 to 100 (default: 6).")
  private int clients;

  @Option(
      names = "--stay",
      description = "Go on moving money after the audit, for a look at the page, until Ctrl-C.")
  private boolean stay;

  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  private boolean help;

  @Spec private CommandSpec spec;
  private final PrintStream out;
  private final long start = System.nanoTime();

  @SuppressWarnings("NullAway.Init") // picocli sets the spec
  private Demo(PrintStream out) {
    this.out = out;
  }

  /** Runs the demo and exits. */
  public static void main(String[] args) {
    // The servers and clients that run in here log to the same terminal.
    LoggingSystem.get(Demo.class.getClassLoader())
        .setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.ERROR);
    int exitCode;
    try {
      exitCode = run(System.out, System.err, args);
    } catch (Error e) {
      e.printStackTrace();
      exitCode = UNFINISHED; // Java itself would report 1.
    }
    System.exit(exitCode);
  }

  /** Runs the demo and returns its exit code. */
  static int run(PrintStream out, PrintStream err, String... args) {
    return new CommandLine(new Demo(out))
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, a) -> badInput(err, String.valueOf(e.getMessage())))
        .setExecutionExceptionHandler((e, commandLine, result) -> fail(err, e))
        .execute(args);
  }

  private static int badInput(PrintStream err, String message) {
    err.println("spring-bank: " + message + "; --help shows the options");
    return BAD_INPUT;
  }

  private static int fail(PrintStream err, Exception e) {
    if (e instanceof DemoException) {
      err.println("spring-bank: " + e.getMessage());
    } else {
      e.printStackTrace(err);
    }
    return UNFINISHED;
  }

  @Override
  public Integer call() throws Exception {
    if (System.getProperty("os.name").startsWith("Windows")) {
      throw new ParameterException(
          spec.commandLine(),
          "Windows has no SIGSTOP, with which a process is frozen; run it in WSL");
    }
    requireWithin("--rounds", rounds, 0, 1000);
    requireWithin("--clients", clients, 1, 100);
    Path directory =
        Path.of(System.getProperty("java.io.tmpdir"))
            .toRealPath()
            .resolve("fencing-bank-" + UUID.randomUUID());
    // Before the directory is there: what is made before the reaper could stay.
    try (Reaper reaper = Reaper.start(directory)) {
      Files.createDirectory(directory);
      try (Servers servers = Servers.start(directory)) {
        return run(servers, directory, reaper);
      }
    }
  }

  private void requireWithin(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(),
          "%s must be %d to %d but is %d".formatted(option, least, most, value));
    }
  }

  private int run(Servers servers, Path directory, Reaper reaper) throws Exception {
    say("ZooKeeper and PostgreSQL are ready");
    servers.createTables(ACCOUNTS, OPENING_CENTS);
    List<BankProcess> processes = start(servers, directory, reaper);
    List<Teller> tellers = processes.stream().map(BankProcess::teller).toList();
    for (BankProcess process : processes) {
      process.awaitReady();
      say("%s is ready, its page is %s".formatted(process.name(), process.teller().url()));
    }
    Books books = new Books();
    Ledger ledger = new Ledger(servers);
    ScheduledExecutorService progress = Executors.newSingleThreadScheduledExecutor();
    Load load = new Load(tellers, books, (int) Story.PAYER - 1, Duration.ZERO);
    load.start(clients);
    try {
      var unused =
          progress.scheduleAtFixedRate(
              () -> say("  " + books), 2, PROGRESS.toSeconds(), TimeUnit.SECONDS);
      Story story = new Story(processes, load, books, ledger, this::say);
      for (int round = 0; round < rounds; round++) {
        story.play(round);
      }
    } finally {
      load.stop();
      progress.shutdownNow();
    }
    Audit audit = Audit.of(OPENING_CENTS, ledger.balances(), ledger.transfers(), books);
    print(audit);
    if (stay) {
      stay(tellers);
    }
    return audit.findings().isEmpty() ? 0 : WRONG;
  }

  private static List<BankProcess> start(Servers servers, Path directory, Reaper reaper)
      throws Exception {
    List<Integer> ports = Servers.freePorts(2);
    List<String> peers = ports.stream().map(port -> "http://127.0.0.1:" + port).toList();
    List<BankProcess> processes = new ArrayList<>();
    for (int i = 0; i < ports.size(); i++) {
      String name = "bank-" + (char) ('a' + i);
      processes.add(new BankProcess(name, ports.get(i), peers, servers, directory, reaper));
    }
    for (BankProcess process : processes) {
      process.start();
    }
    return processes;
  }

  private void print(Audit audit) {
    out.println();
    out.println("Audit");
    audit.lines().forEach(out::println);
    audit.findings().forEach(finding -> out.println("  WRONG: " + finding));
    out.println(
        audit.findings().isEmpty()
            ? "The ledger is right."
            : "The ledger is WRONG: %d findings.".formatted(audit.findings().size()));
  }

  private void stay(List<Teller> tellers) throws InterruptedException {
    out.println();
    tellers.forEach(teller -> out.println("Page: " + teller.url()));
    out.println("The bank goes on until Ctrl-C.");
    Load gentle = new Load(tellers, new Books(), (int) Story.PAYER - 1, Duration.ofMillis(200));
    gentle.start(2);
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      gentle.stop(); // Told to end, which is no failure.
    }
  }

  private void say(String what) {
    double seconds = (System.nanoTime() - start) / 1e9;
    out.println(String.format(Locale.ROOT, "%6.1f s  %s", seconds, what));
  }
}
