package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.FaultKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A fault as it was drawn.
 *
 * @param lane the lock it is aimed at, or one more than the last lock for the servers
 * @param kind what is done
 * @param at where the victim is; null for wherever it is at that time
 * @param until when a pause ends
 * @param length of a pause or a cut; the bound of what waits for the next holder
 * @param gap before the next fault of this lane
 * @param variant which of several ways, from 0
 */
public record Planned(
    int lane,
    FaultKind kind,
    @Nullable Mark at,
    Until until,
    Duration length,
    Duration gap,
    int variant) {

  /** Its place, as faults are recorded. */
  String place() {
    return at == null ? "random" : at.toString();
  }
}
