package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.report.ArmResult;
import dev.fencing.examples.comparison.report.Protection;
import dev.fencing.examples.comparison.report.Published;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the report has to know of an arm. */
final class Results {

  private Results() {}

  static ArmResult of(
      Arm arm, List<ArmRun> contended, @Nullable ArmRun uncontended, @Nullable ArmRun delayed) {
    return new ArmResult(protection(arm), published(arm), contended, uncontended, delayed);
  }

  private static Protection protection(Arm arm) {
    return switch (arm.kind()) {
      case BARE -> arm == Arm.NONE ? Protection.NONE : Protection.LEASE;
      case CONDITIONAL -> Protection.CONDITIONAL;
      case FENCED -> Protection.FENCED;
      case DATABASE_LOCK -> Protection.DATABASE;
    };
  }

  private static @Nullable Published published(Arm arm) {
    return switch (arm) {
      case REDIS_SET_NX -> Published.REDIS;
      case REDLOCK -> Published.REDLOCK;
      case FENCED_ROW -> Published.FENCED;
      default -> null;
    };
  }
}
