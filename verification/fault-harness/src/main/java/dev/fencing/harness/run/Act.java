package dev.fencing.harness.run;

import dev.fencing.harness.arm.Arm;
import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.Workload;
import dev.fencing.harness.nemesis.Mix;
import dev.fencing.harness.nemesis.Until;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One run of one arm.
 *
 * @param arm what is tried
 * @param workload what is done under the locks
 * @param mix which faults
 * @param length how long the workers work
 * @param raise how long a raise may take
 * @param idle how long a transaction may stand idle
 */
record Act(Arm arm, Workload workload, Mix mix, Duration length, Duration raise, Duration idle) {

  private static final Duration RAISE = Duration.ofSeconds(4);
  private static final Duration IDLE = Duration.ofSeconds(2);

  static Act product(Arm arm, Workload workload, Mix mix, Duration length) {
    return new Act(arm, workload, mix, length, RAISE, IDLE);
  }

  /** With a server that lets transactions stay open for longer than a raise waits. */
  Act patient() {
    return new Act(arm, workload, mix, length, raise, Duration.ofSeconds(60));
  }

  Act lasting(Duration time) {
    return new Act(arm, workload, mix, time, raise, idle);
  }

  /** A mutant with the faults in which the order that it cannot stand is sure to come up. */
  static Act mutant(Arm arm, Duration length) {
    Workload workload = arm.does(Workload.COUNTER) ? Workload.COUNTER : Workload.BANK_FENCE_PER_ROW;
    return new Act(arm, workload, mix(arm), length, RAISE, IDLE);
  }

  private static Mix mix(Arm arm) {
    return switch (arm) {
      case EXISTS, SAVEPOINT -> Mix.pauses(Mark.BEFORE_COMMIT, Until.NEXT_READ);
      case RAISE_AND_READ -> Mix.pauses(Mark.BEFORE_COMMIT, Until.NEXT_ACQUIRED);
      case GOES_ON, RAISES_AGAIN ->
          Mix.only(FaultKind.WRITE_IN_FLIGHT, List.of(Mark.BEFORE_COMMIT), Until.TIME);
      case SEQUENCE_SUFFIX -> Mix.only(FaultKind.PARENT_REMOVED, List.of(Mark.IDLE), Until.TIME);
      case TOKEN_AT_WRITE -> Mix.pauses(Mark.AFTER_READ, Until.TIME);
      default -> Mix.pauses(Mark.AFTER_READ, Until.NEXT_READ);
    };
  }

  /** Names its directory. */
  String name() {
    return (arm.title().replace("'", "-gives-up") + "-" + workload)
        .toLowerCase(Locale.ROOT)
        .replace('_', '-');
  }

  @Override
  public String toString() {
    return arm.title() + " " + workload.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
