package dev.fencing.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;

/**
 * One contender in a JVM of its own. For each line with the name of a lock, it acquires and
 * releases that one for a while, and says how often a second it did.
 */
final class ContenderMain {

  private ContenderMain() {}

  /** Takes the server's address, the lock path, and the times in ms to line up and to count. */
  public static void main(String[] args) throws Exception {
    Duration rampUp = Duration.ofMillis(Long.parseLong(args[2]));
    Duration time = Duration.ofMillis(Long.parseLong(args[3]));
    CuratorFramework client = Clients.connect(args[0]);
    Map<String, Cycle> cycles =
        Map.of("ours", Cycle.fenced(client, args[1]), "Curator", Cycle.curator(client, args[1]));
    System.out.println("connected");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String name = in.readLine(); name != null; name = in.readLine()) {
      Cycle cycle = Objects.requireNonNull(cycles.get(name), name);
      new Thread(() -> measure(cycle, rampUp, time)).start();
    }
    System.exit(0); // At once, even if it waits for a lock of a server that is gone as well.
  }

  private static void measure(Cycle cycle, Duration rampUp, Duration time) {
    try {
      Rate.of(() -> cycle.run(() -> {}), rampUp);
      System.out.println(Rate.of(() -> cycle.run(() -> {}), time));
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }
}
