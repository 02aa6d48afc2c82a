package dev.fencing.harness.checker;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import java.util.Locale;

/**
 * F1: some faults do more than disturb, and try themselves what must be refused, on a fence of
 * their own: a token that was raised before a restart, a write behind a deadlock. None of it got
 * through.
 */
final class Harm implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.F1);
    for (Fault fault : run.run().faults()) {
      if (fault.kind() == FaultKind.TOKEN_GOES_BACK || fault.kind() == FaultKind.DEADLOCK_VICTIM) {
        found.judged();
      }
      if (fault.harm() != null) {
        found.add(
            "%s at %.3f s: %s"
                .formatted(
                    fault.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    fault.from() / 1e9,
                    fault.harm()));
      }
    }
    return found.finding();
  }
}
