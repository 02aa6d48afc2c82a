package dev.fencing.harness.worker;

import dev.fencing.harness.arm.Arm;
import dev.fencing.harness.history.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What the orchestrator has a worker do, as one line of text.
 *
 * @param arm the way to lock and to write
 * @param workload what is read and written
 * @param root the path in ZooKeeper below which the locks of this run are
 * @param directory of the run
 * @param origin the {@link System#nanoTime} from which the run is timed
 * @param seed for the workers' own choices
 * @param raise how long a raise may take
 * @param idle how long a transaction may stand idle
 */
public record Order(
    Arm arm,
    Workload workload,
    String root,
    Path directory,
    long origin,
    long seed,
    Duration raise,
    Duration idle) {

  /** The locks that there are. */
  public static final int LOCKS = 4;

  /** The name of a lock, and of its fence. */
  public static String lock(int number) {
    return "lock-" + number;
  }

  /** As it is sent. */
  public String toLine() {
    return "run arm=%s|workload=%s|root=%s|directory=%s|origin=%d|seed=%d|raise=%d|idle=%d"
        .formatted(arm, workload, root, directory, origin, seed, raise.toMillis(), idle.toMillis());
  }

  static Order parse(String line) {
    Map<String, String> fields = new HashMap<>();
    for (String field : line.substring("run ".length()).split("\\|", -1)) {
      int equals = field.indexOf('=');
      fields.put(field.substring(0, equals), field.substring(equals + 1));
    }
    return new Order(
        Arm.valueOf(get(fields, "arm")),
        Workload.valueOf(get(fields, "workload")),
        get(fields, "root"),
        Path.of(get(fields, "directory")),
        Long.parseLong(get(fields, "origin")),
        Long.parseLong(get(fields, "seed")),
        Duration.ofMillis(Long.parseLong(get(fields, "raise"))),
        Duration.ofMillis(Long.parseLong(get(fields, "idle"))));
  }

  private static String get(Map<String, String> fields, String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }
}
