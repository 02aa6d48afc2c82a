package dev.fencing.harness.checker;

import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.Workload;
import java.util.EnumSet;
import java.util.Set;

/**
 * How much has to happen in a run before its silence means anything.
 *
 * @param episodes two-believer episodes
 * @param overtaken different holds that were the first in one of these
 * @param stale attempts under a token that had been overtaken
 * @param expiries sessions that the server ended
 * @param proved the share of planned faults that are proved, 0 to 1
 */
public record Thresholds(int episodes, int overtaken, int stale, int expiries, double proved) {

  /** What a run of full length has to reach. */
  public static final Thresholds FULL = new Thresholds(30, 10, 30, 10, 0.8);

  /** Returns what has to be acknowledged at least once, by what an arm does under its locks. */
  static Set<OpFunction> operations(String arm, Workload workload) {
    Set<OpFunction> operations = EnumSet.of(OpFunction.ACQUIRE, OpFunction.RELEASE);
    if (workload == Workload.LOCK_ONLY) {
      return operations;
    }
    operations.add(OpFunction.WRITE);
    if (arm.startsWith("P2")) {
      operations.add(OpFunction.CLAIM);
    } else {
      operations.add(OpFunction.READ);
    }
    if (arm.startsWith("P1")) {
      operations.add(OpFunction.RAISE);
    }
    if (arm.equals("P1")) {
      operations.add(OpFunction.RENEW);
    }
    return operations;
  }

  @Override
  public String toString() {
    return "at least %d episodes of %d overtaken holders, %d stale attempts, %d expiries, %.0f %% of the faults proved, every operation done once"
        .formatted(episodes, overtaken, stale, expiries, 100 * proved);
  }
}
