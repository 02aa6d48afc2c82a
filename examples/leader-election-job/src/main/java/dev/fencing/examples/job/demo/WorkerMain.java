package dev.fencing.examples.job.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.job.Batch;
import dev.fencing.examples.job.InterestJob;
import dev.fencing.examples.job.JobListener;
import dev.fencing.examples.job.Ledger;
import dev.fencing.examples.job.demo.Mark.Kind;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A worker process: it connects, runs the job, and tells every mark that it reaches. */
@Command(name = "worker")
final class WorkerMain implements Callable<Integer> {

  private static final String PASSWORD = "FENCING_DEMO_PASSWORD";

  @Option(names = "--name", required = true)
  private String name = "";

  @Option(names = "--zookeeper", required = true)
  private String zookeeper = "";

  @Option(names = "--election", required = true)
  private String election = "";

  @Option(names = "--jdbc-url", required = true)
  private String jdbcUrl = "";

  @Option(names = "--user", required = true)
  private String user = "";

  @Option(names = "--batch-size", required = true)
  private int batchSize;

  @Option(names = "--think-millis", required = true)
  private long thinkMillis;

  @Option(names = "--unfenced")
  private boolean unfenced;

  private final Prompt prompt;

  private WorkerMain(Prompt prompt) {
    this.prompt = prompt;
  }

  /** Runs the job in this process. */
  public static void main(String[] args) {
    PrintStream marks = System.out;
    // What any library prints must not come between the marks.
    System.setOut(System.err);
    Prompt prompt = Prompt.open(System.in, marks);
    System.exit(new CommandLine(new WorkerMain(prompt)).execute(args));
  }

  /** The arguments that {@link #main} takes. */
  static List<String> arguments(
      String name, Servers servers, String election, int batchSize, long think, boolean fenced) {
    List<String> args = new ArrayList<>();
    args.addAll(List.of("--name", name));
    args.addAll(List.of("--zookeeper", servers.zookeeper()));
    args.addAll(List.of("--election", election));
    args.addAll(List.of("--jdbc-url", servers.database().url()));
    args.addAll(List.of("--user", servers.database().user()));
    args.addAll(List.of("--batch-size", Integer.toString(batchSize)));
    args.addAll(List.of("--think-millis", Long.toString(think)));
    if (!fenced) {
      args.add("--unfenced");
    }
    return args;
  }

  /** The password goes by the environment: everybody can read command lines. */
  static Map<String, String> environment(Servers servers) {
    String password = servers.database().password();
    return password == null ? Map.of() : Map.of(PASSWORD, password);
  }

  @Override
  public Integer call() throws Exception {
    int session = (int) EmbeddedZooKeeper.SESSION.toMillis();
    var database = new Servers.Database(jdbcUrl, user, System.getenv(PASSWORD));
    try (CuratorFramework client =
            CuratorFrameworkFactory.newClient(
                zookeeper, session, session, new ExponentialBackoffRetry(100, 5));
        HikariDataSource pool = Pools.open(database, name, 2)) {
      client
          .getConnectionStateListenable()
          .addListener(
              (c, state) -> {
                if (state == ConnectionState.LOST) {
                  prompt.reach(Mark.of(Kind.SESSION_LOST));
                }
              });
      client.start();
      client.blockUntilConnected();
      Ledger ledger = new Ledger(InterestJob.RESOURCE, batchSize);
      prompt.reach(Mark.of(Kind.READY));
      if (unfenced) {
        new UnfencedJob(client, election, pool, ledger, new Marks()).run();
      } else {
        JdbcFence fence = JdbcFence.builder(pool).table(LedgerTables.FENCE).holder(name).build();
        new InterestJob(client, election, fence, ledger, new Marks()).run();
      }
      prompt.reach(Mark.of(Kind.DONE));
    }
    return 0;
  }

  /** Tells the demo what the job does, and slows it down so that it can be watched. */
  private final class Marks implements JobListener {

    private long token;

    @Override
    public void leading(long newToken) {
      token = newToken;
      prompt.reach(Mark.of(Kind.LEADING, "token", token));
    }

    @Override
    public void depositsBooked(int accounts) {
      if (accounts > 0) {
        prompt.reach(Mark.of(Kind.DEPOSITS, "accounts", accounts));
      }
    }

    @Override
    public void computed(Batch batch) {
      try {
        TimeUnit.MILLISECONDS.sleep(thinkMillis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // The lease is lost, as the job will see.
      }
      prompt.reach(mark(Kind.COMPUTED, batch));
    }

    @Override
    public void written(Batch batch) {
      prompt.reach(mark(Kind.WRITTEN, batch));
    }

    @Override
    public void refused(StaleTokenException refusal) {
      prompt.reach(
          Mark.of(
              Kind.REFUSED,
              "presented",
              refusal.presentedToken(),
              "stored",
              refusal.storedToken(),
              "message",
              String.valueOf(refusal.getMessage())));
    }

    @Override
    public void leaseLost(long lostToken) {
      prompt.reach(Mark.of(Kind.LEASE_LOST, "token", lostToken));
    }

    private Mark mark(Kind kind, Batch batch) {
      return Mark.of(kind, "token", token, "from", batch.from(), "to", batch.to());
    }
  }
}
