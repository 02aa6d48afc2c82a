package dev.fencing.examples.comparison.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * A server that is a program of its own, with its data and log below the run's directory.
 *
 * @param port on 127.0.0.1
 */
public record NativeServer(Process process, int port) {

  private static final Duration START = Duration.ofSeconds(30);
  private static final int TRIES = 5;
  private static final int LAST_LINES = 3;

  /**
   * Starts a program that listens on one port, and waits until it says so in its log. A connection
   * would not tell: another one may listen there.
   *
   * @param ready what it says
   * @param command makes the command line for a port
   * @param wanted the port, or 0 for any that is free
   */
  static NativeServer start(
      String name, String ready, Path directory, int wanted, IntFunction<List<String>> command)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      int port = wanted == 0 ? freePort() : wanted;
      try {
        return start(name, ready, directory, port, command.apply(port));
      } catch (ServerException e) {
        // Somebody else may have got the port that was free a moment ago.
        if (wanted != 0 || attempt == TRIES || !String.valueOf(e.getMessage()).contains("in use")) {
          throw e;
        }
      }
    }
  }

  private static NativeServer start(
      String name, String ready, Path directory, int port, List<String> command)
      throws IOException, InterruptedException {
    Path log = directory.resolve(name + "-" + port + ".log");
    Process process = launch(name, directory, log, command);
    long start = System.nanoTime();
    while (process.isAlive() && System.nanoTime() - start < START.toNanos()) {
      if (Files.readString(log).contains(ready)) {
        return new NativeServer(process, port);
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    boolean ended = !process.isAlive();
    process.destroyForcibly();
    throw new ServerException(
        "%s did not start on port %d: %s; it said last: %s"
            .formatted(
                name,
                port,
                ended
                    ? "it ended with exit code " + process.waitFor()
                    : "it was not ready within " + START.toSeconds() + " s",
                lastLines(log)));
  }

  private static Process launch(String name, Path directory, Path log, List<String> command)
      throws IOException {
    try {
      return new ProcessBuilder(command)
          .directory(directory.toFile())
          .redirectErrorStream(true)
          .redirectOutput(log.toFile())
          .start();
    } catch (IOException e) {
      throw new ServerException("%s did not start: %s".formatted(name, e.getMessage()), e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** What a log ends with, as one line for a message. */
  public static String lastLines(Path log) throws IOException {
    if (Files.notExists(log)) {
      return "nothing";
    }
    List<String> lines = Files.readAllLines(log).stream().filter(line -> !line.isBlank()).toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
    return last.isEmpty() ? "nothing" : String.join(" | ", last);
  }
}
