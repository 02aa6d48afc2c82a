package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.ArmRun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All runs of one arm.
 *
 * @param published the figures that it is held against; null if there are none
 * @param contended at least one, with pauses; the figures of several are added up
 * @param uncontended one client, no think time, no pauses, servers on loopback; null if it was not
 *     measured
 * @param delayed the same with every server behind a delaying proxy; null if it was not measured
 */
public record ArmResult(
    Protection protection,
    @Nullable Published published,
    List<ArmRun> contended,
    @Nullable ArmRun uncontended,
    @Nullable ArmRun delayed) {

  /** Refuses an arm without a contended run. */
  public ArmResult {
    contended = List.copyOf(contended);
    if (contended.isEmpty()) {
      throw new IllegalArgumentException("an arm without a contended run; say why it was skipped");
    }
  }

  String arm() {
    return contended.get(0).arm();
  }

  String promise() {
    return contended.get(0).promise();
  }

  long leaseMillis() {
    return contended.get(0).leaseMillis();
  }
}
