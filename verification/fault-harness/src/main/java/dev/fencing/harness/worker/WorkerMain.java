package dev.fencing.harness.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.harness.arm.Lock;
import dev.fencing.harness.arm.Tools;
import dev.fencing.harness.history.EdnWriter;
import dev.fencing.harness.history.RunDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.jspecify.annotations.Nullable;

/**
 * A worker process. It is told by lines what to do: {@code run ...}, {@code stop}, {@code heal};
 * and ends with its standard input.
 */
public final class WorkerMain {

  private static final int POOL = 20;

  private final WorkerId id;
  private final CuratorFramework client;
  private final List<HikariDataSource> databases = new ArrayList<>();
  private final List<MarkClient> marks = new ArrayList<>();
  private final List<Lock> locks = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private @Nullable Recorder recorder;

  private WorkerMain(WorkerId id, String zookeeper, int session, int control, List<Integer> ports)
      throws IOException {
    this.id = id;
    this.client =
        CuratorFrameworkFactory.newClient(zookeeper, session, session, new RetryNTimes(4, 100));
    client.start();
    for (int lock = 0; lock < Order.LOCKS; lock++) {
      databases.add(pool(ports.get(lock), "worker-%d-%d".formatted(id.worker(), lock)));
      marks.add(MarkClient.connect(control, id.worker(), lock));
    }
  }

  /**
   * Takes the worker's number, its incarnation, the number of workers, ZooKeeper's address, the
   * session timeout in ms, the orchestrator's port, and a port of the database for each lock.
   */
  public static void main(String[] args) throws Exception {
    List<Integer> ports = new ArrayList<>();
    for (int i = 6; i < args.length; i++) {
      ports.add(Integer.valueOf(args[i]));
    }
    WorkerId id =
        new WorkerId(
            Integer.parseInt(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    WorkerMain worker =
        new WorkerMain(id, args[3], Integer.parseInt(args[4]), Integer.parseInt(args[5]), ports);
    say("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        worker.obey(line);
      } catch (Exception e) {
        fail("\"%s\" could not be done: %s".formatted(line, e));
      }
    }
    Runtime.getRuntime().halt(0); // At once, whatever its threads wait for.
  }

  private void obey(String line) throws Exception {
    if (line.startsWith("run ")) {
      run(Order.parse(line));
    } else if (line.equals("stop")) {
      stop();
    } else if (line.equals("heal")) {
      heal();
    }
  }

  private void run(Order order) throws IOException {
    RunDirectory directory = new RunDirectory(order.directory());
    Path file = directory.workerFile(id.worker() + "-" + id.incarnation());
    String device = System.getProperty("fencing.harness.history"); // For tests of a full disk.
    EdnWriter writer = device == null ? EdnWriter.create(file) : EdnWriter.open(Path.of(device));
    Recorder out = new Recorder(writer, order.origin());
    recorder = out;
    locks.clear();
    slots.clear();
    threads.clear();
    for (int i = 0; i < Order.LOCKS; i++) {
      Lock lock =
          order.arm().lock(client, order.root() + "/" + Order.lock(i), "create-by-" + id.worker());
      locks.add(lock);
      Tools tools = new Tools(databases.get(i), lock, order.raise(), order.idle());
      slots.add(new Slot(id, i, order, tools, databases.get(i), marks.get(i), this::session, out));
      threads.add(new Thread(slots.get(i), Order.lock(i)));
    }
    threads.forEach(Thread::start);
    say("running");
  }

  private void stop() throws InterruptedException, IOException {
    slots.forEach(Slot::stop);
    for (Thread thread : threads) {
      thread.join();
    }
    if (recorder != null) {
      recorder.close();
    }
    say("stopped");
  }

  private void heal() throws InterruptedException {
    List<Thread> healers = new ArrayList<>();
    for (int i = 0; i < locks.size(); i++) {
      int number = i;
      Thread healer = new Thread(() -> Healing.heal(number, locks.get(number)));
      healer.start();
      healers.add(healer);
    }
    for (Thread healer : healers) {
      healer.join();
    }
    say("healthy");
  }

  private long session() {
    try {
      return client.getZookeeperClient().getZooKeeper().getSessionId();
    } catch (Exception notConnected) {
      return 0;
    }
  }

  private static HikariDataSource pool(int port, String name) {
    HikariConfig config = new HikariConfig();
    // Without prepared statements on the server, so that the proxy can read the word COMMIT.
    config.setJdbcUrl(
        "jdbc:postgresql://127.0.0.1:%d/postgres?prepareThreshold=0&connectTimeout=2&socketTimeout=6&loginTimeout=3&ApplicationName=%s"
            .formatted(port, name));
    config.setUsername("postgres");
    config.setPoolName(name);
    config.setMinimumIdle(1);
    config.setMaximumPoolSize(POOL);
    config.setConnectionTimeout(3_000);
    config.setValidationTimeout(1_000);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  static void say(String line) {
    System.out.println(line.replaceAll("\\s+", " "));
  }

  /** Tells the orchestrator why this worker ends, and ends. */
  static void fail(String why) {
    say("failed " + why);
    System.out.flush();
    Runtime.getRuntime().halt(4);
  }
}
