package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.worker.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All faults of a run, drawn before it from its seed alone: for each lock, and for the servers, one
 * after the other.
 *
 * <p>How many of them a run gets to depends on the machine; those that it begins are the first.
 */
public record Schedule(List<List<Planned>> lanes) {

  /** Faster than that no lane can be. */
  private static final Duration LEAST = Duration.ofMillis(200);

  /**
   * Draws.
   *
   * @param length of the run
   */
  public static Schedule of(long seed, Mix mix, Duration length) {
    int count = (int) (length.toMillis() / LEAST.toMillis()) + 1;
    List<List<Planned>> lanes = new ArrayList<>();
    for (int lane = 0; lane < mix.locks(); lane++) {
      lanes.add(holders(lane, new Random(seed * 31 + lane), mix, count));
    }
    if (!mix.servers().isEmpty()) {
      lanes.add(servers(new Random(seed * 31 + Order.LOCKS), mix, count));
    }
    return new Schedule(List.copyOf(lanes));
  }

  private static List<Planned> holders(int lane, Random random, Mix mix, int count) {
    List<Planned> planned = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FaultKind kind = draw(random, mix.holders());
      boolean anywhere = random.nextInt(100) < mix.randomShare();
      Mark mark = mix.marks().get(random.nextInt(mix.marks().size()));
      Until until = mix.untils().get(random.nextInt(mix.untils().size()));
      planned.add(
          new Planned(
              lane,
              kind,
              place(kind, anywhere, mark),
              anywhere ? Until.TIME : until,
              between(random, mix.shortest(), mix.longest()),
              around(random, mix.gap()),
              random.nextInt(1 << 16)));
    }
    return List.copyOf(planned);
  }

  /** Where the kind itself does not say it. */
  private static @Nullable Mark place(FaultKind kind, boolean anywhere, Mark mark) {
    return switch (kind) {
      case PAUSE_HOLDER, KILL_HOLDER -> anywhere ? null : mark;
      case WRITE_IN_FLIGHT, PAUSE_BACKEND, TERMINATE_BACKEND, OPEN_TRANSACTION ->
          Mark.BEFORE_COMMIT;
      case LOST_CREATE_REPLY, PARENT_REMOVED -> Mark.IDLE;
      case LIVE_ZOMBIE -> Mark.AFTER_READ;
      default -> mark;
    };
  }

  private static List<Planned> servers(Random random, Mix mix, int count) {
    List<Planned> planned = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      planned.add(
          new Planned(
              Order.LOCKS,
              draw(random, mix.servers()),
              null,
              Until.TIME,
              between(random, Duration.ofMillis(500), Duration.ofMillis(3_000)),
              around(random, mix.serverGap()),
              random.nextInt(1 << 16)));
    }
    return List.copyOf(planned);
  }

  private static FaultKind draw(Random random, Map<FaultKind, Integer> weights) {
    // In the order of the kinds: that of a map may differ from run to run.
    Map<FaultKind, Integer> sorted = new TreeMap<>(weights);
    int left = random.nextInt(sorted.values().stream().mapToInt(Integer::intValue).sum());
    for (Map.Entry<FaultKind, Integer> entry : sorted.entrySet()) {
      left -= entry.getValue();
      if (left < 0) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("no weights");
  }

  private static Duration between(Random random, Duration least, Duration most) {
    return least.plusMillis(random.nextInt((int) most.minus(least).toMillis() + 1));
  }

  private static Duration around(Random random, Duration middle) {
    long millis = middle.toMillis();
    return Duration.ofMillis(millis / 2 + random.nextInt((int) millis + 1));
  }
}
