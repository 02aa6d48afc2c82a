package dev.fencing.benchmarks;

import dev.fencing.fixtures.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** A running {@link ServerMain}. For one thread. */
final class ServerProcess implements AutoCloseable {

  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final ChildJvm jvm;
  private final int port;

  private ServerProcess(ChildJvm jvm, int port) {
    this.jvm = jvm;
    this.port = port;
  }

  static ServerProcess start() throws IOException, InterruptedException {
    ChildJvm jvm = ChildJvm.start(List.of("-Xms256m", "-Xmx256m"), ServerMain.class);
    return new ServerProcess(jvm, Integer.parseInt(jvm.readLine(ANSWER)));
  }

  int port() {
    return port;
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** Asks the server process itself, which is no ZooKeeper request. */
  ServerCounts counts() throws IOException, InterruptedException {
    jvm.send("counts");
    return ServerCounts.parse(jvm.readLine(ANSWER));
  }

  /** Has the server delete its empty containers. */
  void sweep() throws IOException, InterruptedException {
    jvm.send("sweep");
    jvm.readLine(ANSWER);
  }

  /**
   * Waits until the counts are right and no request comes in any more.
   *
   * @return the counts at that time, or those after {@code bound}
   */
  ServerCounts settle(Predicate<ServerCounts> right, Duration bound)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    ServerCounts before = counts();
    while (true) {
      TimeUnit.MILLISECONDS.sleep(250);
      ServerCounts now = counts();
      boolean quiet = now.total() == before.total();
      if ((quiet && right.test(now)) || System.nanoTime() - start > bound.toNanos()) {
        return now;
      }
      before = now;
    }
  }

  /** Ends the server, which deletes its data. */
  @Override
  public void close() throws IOException {
    jvm.send("stop");
    try {
      jvm.handle().onExit().get(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Killed below.
    } finally {
      jvm.close();
    }
  }
}
