package dev.fencing.examples.job.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.job.AccountsFile;
import dev.fencing.examples.job.AccountsFileException;
import dev.fencing.examples.job.InterestJob;
import dev.fencing.examples.job.OpeningBalance;
import dev.fencing.jdbc.JdbcFence;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The demo: a leader is frozen past its session, and the database refuses its late write.
 *
 * <p>Exit code 0: every account is right. 1: the ledger is wrong. 2: an argument, a file or a named
 * server is wrong, and nothing was written. 3: the story did not get to its end. 130: interrupted.
 */
@Command(
    name = "leader-election-job",
    description =
        "Freezes the leader of a job past its session and shows what its late write does.",
    sortOptions = false)
public final class Demo implements Callable<Integer> {

  @Option(
      names = "--unfenced",
      description = "Use a plain lock and plain updates: the late write goes in.")
  private boolean unfenced;

  @Option(
      names = "--accounts",
      paramLabel = "FILE",
      description = "CSV file with the header account,balance (default: 10,000 shipped accounts).")
  private @Nullable Path accountsFile;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT",
      description = "Use this ZooKeeper instead of starting one.")
  private @Nullable String zookeeper;

  @Option(
      names = "--jdbc-url",
      paramLabel = "URL",
      description = "Use this PostgreSQL (jdbc:postgresql://...) instead of starting one.")
  private @Nullable String jdbcUrl;

  @Option(names = "--user", description = "The database user.")
  private @Nullable String user;

  @Option(
      names = "--password",
      arity = "0..1",
      interactive = true,
      description = "Its password; asked for when no value is given.")
  private @Nullable String password;

  @Option(
      names = "--reset",
      description = "Drop the demo's tables (fencing_demo_*) if a run before has left them.")
  private boolean reset;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Where to write the picture (default: leader-election-job.html in target).")
  private @Nullable Path reportFile;

  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  private boolean help;

  private final PrintStream out;
  private @Nullable Backstage backstage;

  private Demo(PrintStream out) {
    this.out = out;
  }

  /** Runs the demo and exits. */
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

  /** Runs the demo and returns its exit code. */
  static int run(PrintStream out, PrintStream err, String... args) {
    Demo demo = new Demo(out);
    return new CommandLine(demo)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler(
            (e, a) ->
                demo.fail(err, DemoException.badInput(message(e) + "; --help shows the options")))
        .setExecutionExceptionHandler((e, commandLine, result) -> demo.fail(err, e))
        .execute(args);
  }

  private int fail(PrintStream err, Exception e) {
    if (backstage != null && backstage.isInterrupted()) {
      return DemoException.UNFINISHED;
    }
    if (e instanceof DemoException expected) {
      err.println("leader-election-job: " + message(e));
      return expected.exitCode();
    }
    if (e instanceof AccountsFileException) {
      err.println("leader-election-job: " + message(e));
      return DemoException.BAD_INPUT;
    }
    e.printStackTrace(err);
    return DemoException.UNFINISHED;
  }

  private static String message(Exception e) {
    return String.valueOf(e.getMessage());
  }

  @Override
  public Integer call() throws Exception {
    if (!Signals.supported()) {
      throw DemoException.badInput(
          "Windows has no SIGSTOP, with which this demo freezes a process; run it on Linux, macOS"
              + " or in WSL");
    }
    List<OpeningBalance> accounts = accounts();
    Servers.Database database = database();
    Path page = page();
    Timeline timeline = new Timeline(out);
    checkGivenServers(zookeeper, database);
    try (Backstage stage = Backstage.open(timeline)) {
      backstage = stage;
      out.printf(
          Locale.ROOT,
          "Interest for %,d accounts, %s.%n",
          accounts.size(),
          unfenced ? "WITHOUT a fence" : "with a fence in the database");
      Servers servers =
          stage.startServers(zookeeper, database, "; --zookeeper and --jdbc-url name others");
      return play(stage, servers, accounts, timeline, page);
    }
  }

  private int play(
      Backstage stage, Servers servers, List<OpeningBalance> accounts, Timeline timeline, Path page)
      throws Exception {
    String election = "/fencing-demo/" + stage.run().path().getFileName();
    try (LedgerTables tables = LedgerTables.connect(servers.database());
        ElectionNodes nodes = ElectionNodes.connect(servers.zookeeper(), election)) {
      tables.create(accounts, InterestJob.RESOURCE, reset);
      if (!unfenced) {
        createFence(servers.database());
      }
      timeline.note(String.format(Locale.ROOT, "%,d accounts loaded", accounts.size()));
      Story story = new Story(accounts, !unfenced, stage, nodes, tables, timeline);
      story.play(servers);
      Victim victim = story.victim();
      Audit audit =
          Audit.of(accounts, Map.of(victim.account(), Victim.DEPOSIT_CENTS), tables.balances());
      nodes.remove();
      timeline.printSummary();
      audit.print(out);
      Report report =
          new Report(
              !unfenced,
              accounts.size(),
              story.batchSize(),
              victim,
              story.workers(),
              timeline.holds(),
              timeline.events(),
              timeline.writes(),
              audit);
      try {
        report.write(page);
      } catch (IOException e) {
        throw DemoException.unfinished(
            "the audit above stands, but its picture could not be written to %s: %s"
                .formatted(page, e.getMessage()));
      }
      out.println();
      out.println("Picture: " + page.toAbsolutePath().normalize().toUri());
      return audit.right() ? 0 : DemoException.WRONG_LEDGER;
    }
  }

  private static void createFence(Servers.Database database) {
    try (HikariDataSource pool = Pools.open(database, "fencing-demo", 2)) {
      JdbcFence.builder(pool).table(LedgerTables.FENCE).build().createSchema();
    }
  }

  private List<OpeningBalance> accounts() {
    if (accountsFile == null) {
      return AccountsFile.shipped();
    }
    List<OpeningBalance> accounts = AccountsFile.read(accountsFile);
    if (accounts.size() < Story.FEWEST_ACCOUNTS) {
      throw DemoException.badInput(
          "%s has %d accounts; the story needs at least %d"
              .formatted(accountsFile, accounts.size(), Story.FEWEST_ACCOUNTS));
    }
    return accounts;
  }

  private Servers.@Nullable Database database() {
    if (jdbcUrl == null) {
      if (user != null || password != null || reset) {
        throw DemoException.badInput(
            "--user, --password and --reset are for a database that is given by --jdbc-url");
      }
      return null;
    }
    if (!jdbcUrl.startsWith("jdbc:postgresql:")) {
      throw DemoException.badInput(
          "--jdbc-url must begin with jdbc:postgresql: but is \"" + jdbcUrl + "\"");
    }
    if (user == null) {
      throw DemoException.badInput("--jdbc-url needs --user");
    }
    return new Servers.Database(jdbcUrl, user, password);
  }

  private Path page() {
    Path page = reportFile;
    if (page == null) {
      String name = unfenced ? "leader-election-job-unfenced.html" : "leader-election-job.html";
      page = Path.of(System.getProperty("fencing.demo.target", "target"), name);
    }
    Path directory = page.toAbsolutePath().getParent();
    if (Files.isDirectory(page)
        || directory == null
        || (Files.exists(directory) && !Files.isWritable(directory))) {
      throw DemoException.badInput("the picture cannot be written to " + page);
    }
    if (accountsFile != null
        && page.toAbsolutePath().normalize().equals(accountsFile.toAbsolutePath().normalize())) {
      throw DemoException.badInput(
          "--report would overwrite the accounts in " + accountsFile + "; name another file");
    }
    return page;
  }

  // Before anything is started or written.
  private static void checkGivenServers(
      @Nullable String zookeeper, Servers.@Nullable Database database) throws Exception {
    if (zookeeper != null) {
      ElectionNodes.connect(zookeeper, "/fencing-demo").close();
    }
    if (database != null) {
      LedgerTables.connect(database).close();
    }
  }
}
