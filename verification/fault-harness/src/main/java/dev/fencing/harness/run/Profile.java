package dev.fencing.harness.run;

import dev.fencing.harness.arm.Arm;
import dev.fencing.harness.checker.Thresholds;
import dev.fencing.harness.history.Workload;
import dev.fencing.harness.nemesis.Mix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How long and how much. */
enum Profile {
  /** At most 90 s in all on two noisy cores: a part of the ordinary tests. */
  SHORT,
  /** About 45 minutes. */
  LONG,
  /** About two hours. */
  RELEASE;

  /** How much has to happen in each run. */
  Thresholds thresholds() {
    return this == SHORT ? new Thresholds(15, 5, 10, 5, 0.6) : Thresholds.FULL;
  }

  /** What is run, in this order. */
  List<Act> acts() {
    return switch (this) {
      case SHORT -> quick();
      case LONG -> full(1);
      case RELEASE -> full(3);
    };
  }

  private static List<Act> quick() {
    List<Act> acts = new ArrayList<>();
    acts.add(Act.product(Arm.P1, Workload.COUNTER, Mix.quick(true), Duration.ofSeconds(14)));
    acts.add(Act.product(Arm.P2, Workload.COUNTER, Mix.quick(false), Duration.ofSeconds(10)));
    for (Arm arm : List.of(Arm.NO_FENCE, Arm.NO_RAISE, Arm.COUNT_IGNORED, Arm.EXISTS)) {
      acts.add(Act.mutant(arm, Duration.ofSeconds(4)));
    }
    return acts;
  }

  private static List<Act> full(int times) {
    Mix all = Mix.everything(true);
    Mix rows = Mix.everything(false);
    List<Act> acts = new ArrayList<>();
    // First, while no election has raised the epoch: only then can a new ensemble catch up.
    acts.add(Act.product(Arm.P1, Workload.COUNTER, all.withTokensGoingBack(), minutes(2 * times)));
    acts.add(Act.product(Arm.P1, Workload.COUNTER, all, minutes(6 * times)));
    acts.add(Act.product(Arm.P1, Workload.LIST_APPEND, all, minutes(3 * times)));
    acts.add(Act.product(Arm.P1, Workload.BANK, all, minutes(3 * times)));
    acts.add(Act.product(Arm.P1, Workload.BANK_FENCE_PER_ROW, all, minutes(3 * times)));
    acts.add(Act.product(Arm.P1_GIVES_UP, Workload.COUNTER, all, minutes(4 * times)));
    acts.add(Act.product(Arm.P1_GIVES_UP, Workload.COUNTER, Mix.calm(), minutes(2 + times)));
    acts.add(Act.product(Arm.P2, Workload.COUNTER, rows, minutes(4 * times)));
    acts.add(Act.product(Arm.P2, Workload.LIST_APPEND, rows, minutes(2 * times)));
    acts.add(
        Act.product(Arm.P1, Workload.COUNTER, all.withOpenTransactions(), minutes(2 * times))
            .patient());
    acts.add(Act.product(Arm.P1, Workload.LOCK_ONLY, Mix.ofLocks(), minutes(3 * times)));
    Arrays.stream(Arm.values())
        .filter(Arm::isMutant)
        .forEach(arm -> acts.add(Act.mutant(arm, Duration.ofSeconds(30))));
    return acts;
  }

  private static Duration minutes(int minutes) {
    return Duration.ofMinutes(minutes);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
