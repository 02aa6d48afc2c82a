package dev.fencing.examples.comparison.work;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Setup;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.server.NativeServer;
import dev.fencing.examples.comparison.server.ServerException;
import dev.fencing.examples.comparison.server.Servers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Worker processes that share the transactions of a schedule between them. */
public final class Crew implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int HEAP = 64;

  private final Servers servers;
  private final Path directory;
  private final List<Worker> workers = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private int setups;

  private Crew(Servers servers) throws IOException {
    this.servers = servers;
    this.directory = Files.createTempDirectory(servers.directory(), "crew");
  }

  /** Starts workers that have nothing to do yet. */
  public static Crew start(Servers servers, int count) throws IOException {
    Crew crew = new Crew(servers);
    try (ServerSocket listener = new ServerSocket(0, count, InetAddress.getLoopbackAddress())) {
      listener.setSoTimeout((int) LOOK.toMillis());
      List<Process> processes = new ArrayList<>();
      for (int number = 0; number < count; number++) {
        processes.add(crew.launch(number, listener.getLocalPort()));
      }
      for (int i = 0; i < count; i++) {
        Line line = new Line(crew.accept(listener, processes));
        int number = line.next().as(Integer.class);
        crew.workers.add(new Worker(number, processes.get(number), line));
      }
      return crew;
    } catch (IOException | RuntimeException e) {
      crew.close();
      throw e;
    }
  }

  private Socket accept(ServerSocket listener, List<Process> processes) throws IOException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < START.toNanos()) {
      try {
        return listener.accept();
      } catch (SocketTimeoutException notYet) {
        for (int number = 0; number < processes.size(); number++) {
          if (!processes.get(number).isAlive()) {
            throw new ServerException(
                "worker %d did not start (exit code %d); it said: %s"
                    .formatted(
                        number,
                        processes.get(number).exitValue(),
                        NativeServer.lastLines(log(number))));
          }
        }
      }
    }
    throw new ServerException(
        "only %d of %d workers have started within %d s"
            .formatted(workers.size(), processes.size(), START.toSeconds()));
  }

  private Path log(int number) {
    return directory.resolve("worker-" + number + ".log");
  }

  private Process launch(int number, int port) throws IOException {
    List<String> command = new ArrayList<>(Servers.jvm(servers.directory(), HEAP));
    command.add(WorkerMain.class.getName());
    command.add(Integer.toString(number));
    command.add(Integer.toString(port));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(number).toFile()))
            .start();
    servers.watch(process.pid());
    return process;
  }

  /**
   * Has all workers connect to the servers of an arm.
   *
   * @return the lease that its servers have granted, in milliseconds; 0 if it has none
   */
  public long open(Arm arm, Setup setup) throws IOException, InterruptedException {
    Path file = directory.resolve("setup-" + setups++ + ".json");
    setup.write(file);
    return together(worker -> worker.open(arm, file)).get(0);
  }

  /** Runs the schedule, and returns all attempts. */
  public List<Transaction> run(List<Planned> schedule, Pauses pauses) throws InterruptedException {
    Queue<Planned> left = new ConcurrentLinkedQueue<>(schedule);
    return together(worker -> share(worker, left, pauses)).stream().flatMap(List::stream).toList();
  }

  private static List<Transaction> share(Worker worker, Queue<Planned> left, Pauses pauses)
      throws Exception {
    List<Transaction> attempts = new ArrayList<>();
    for (Planned next = left.poll(); next != null; next = left.poll()) {
      attempts.addAll(worker.run(next, pauses));
    }
    return attempts;
  }

  private interface Part<T> {
    T of(Worker worker) throws Exception;
  }

  /**
   * Has each worker do its part, all at the same time.
   *
   * @throws ServerException if a server or a worker has ended; all workers are killed then
   */
  private <T> List<T> together(Part<T> part) throws InterruptedException {
    List<Future<T>> running = new ArrayList<>();
    for (Worker worker : workers) {
      Callable<T> call = () -> part.of(worker);
      running.add(threads.submit(call));
    }
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(await(future));
      }
      return results;
    } catch (ExecutionException e) {
      throw failed(e);
    }
  }

  private <T> T await(Future<T> part) throws ExecutionException, InterruptedException {
    while (true) {
      try {
        return part.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException notYet) {
        String failure = servers.failure();
        if (failure != null) {
          throw failed(new ServerException(failure));
        }
      }
    }
  }

  private ServerException failed(Exception e) {
    workers.forEach(Worker::kill);
    String failure = servers.failure();
    if (failure != null) {
      return new ServerException(failure);
    }
    return e.getCause() instanceof ServerException said
        ? said
        : new ServerException("a worker has ended in the middle of the run: " + e.getCause());
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    for (Worker worker : workers) {
      worker.close();
    }
  }
}
