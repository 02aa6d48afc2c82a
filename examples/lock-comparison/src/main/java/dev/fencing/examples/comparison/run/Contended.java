package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Overlaps;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.work.Crew;
import dev.fencing.examples.comparison.work.Pauses;
import dev.fencing.examples.comparison.work.Planned;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs an arm: workers share a schedule, and some of them are stopped on the way. */
final class Contended {

  /** Puts something around the pauses of an arm. */
  interface Around {
    Pauses pauses(Faults faults);
  }

  private final Stage stage;
  private final int rows;
  private final int workers;

  Contended(Stage stage, int rows, int workers) {
    this.stage = stage;
    this.rows = rows;
    this.workers = workers;
  }

  /** Runs an arm with workers that may have run another one before. */
  ArmRun run(Crew crew, Arm arm, List<Planned> schedule, Around around) throws Exception {
    try (Equipment equipment = stage.equip(arm)) {
      return run(crew, equipment, arm, schedule, around);
    }
  }

  private ArmRun run(Crew crew, Equipment equipment, Arm arm, List<Planned> schedule, Around around)
      throws Exception {
    Tables tables = stage.tables();
    tables.create(rows, workers);
    long leaseMillis = crew.open(arm, stage.setup(arm, equipment));
    Duration unit = leaseMillis == 0 ? stage.lease() : Duration.ofMillis(leaseMillis);
    Faults faults = new Faults(arm, equipment, unit);
    long start = System.nanoTime();
    List<Transaction> attempts = crew.run(schedule, around.pauses(faults));
    long end = System.nanoTime();
    long leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    return new ArmRun(
        arm.toString(),
        arm.promise(),
        leaseMillis,
        attempts,
        tables.changes(),
        start,
        end,
        (int) attempts.stream().filter(each -> each.frozenNanos() > 0).count(),
        (int)
            attempts.stream()
                .filter(each -> leaseNanos > 0 && each.frozenNanos() > leaseNanos)
                .count(),
        Overlaps.count(attempts),
        facts(arm, schedule, faults));
  }

  private Map<String, String> facts(Arm arm, List<Planned> schedule, Faults faults) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("lease asked for, ms", Long.toString(stage.lease().toMillis()));
    facts.put("workers", Integer.toString(workers));
    facts.put("rows", Integer.toString(rows));
    facts.put(
        "pauses planned before the client asks whether it has the lock",
        Long.toString(
            schedule.stream().filter(each -> each.pause() > 0 && each.beforeCheck()).count()));
    facts.put(
        "pauses planned after that",
        Long.toString(
            schedule.stream().filter(each -> each.pause() > 0 && !each.beforeCheck()).count()));
    if (arm == Arm.REDIS_FAILOVER) {
      facts.put(
          "failovers, before each the replica had heard nothing of the holder's lock",
          Integer.toString(faults.struck()));
    }
    if (arm == Arm.REDLOCK_CLOCK_JUMP) {
      facts.put(
          "clock jumps, made by letting the key expire at once on four servers of five",
          Integer.toString(faults.struck()));
    }
    return facts;
  }
}
