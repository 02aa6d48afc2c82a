package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import java.util.List;
import java.util.TreeSet;

/**
 * C2: every acknowledged write is in the log, no write that failed is, and everything in the log
 * was tried by somebody.
 */
final class Acknowledged implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C2);
    if (run.run().log() == null) {
      return found.finding("the log of accepted writes is missing");
    }
    for (Call write : run.calls(OpFunction.WRITE)) {
      found.judged();
      List<LoggedWrite> accepted = run.accepted(write.invoke().op());
      if (write.ok() && accepted.isEmpty()) {
        found.add(
            "acknowledged and lost: %s op %s (token %s) is not in the log"
                .formatted(write.resource(), write.invoke().op(), write.token()),
            write);
      } else if (write.type() == OpType.FAIL && !accepted.isEmpty()) {
        found.add(
            "refused and accepted: %s op %s (token %s) failed with \"%s\", but is ver %d of %s"
                .formatted(
                    write.resource(),
                    write.invoke().op(),
                    write.token(),
                    write.completion() == null ? "" : write.completion().error(),
                    accepted.get(0).ver(),
                    accepted.get(0).key()),
            write);
      }
    }
    for (String op : new TreeSet<>(run.acceptedOps())) {
      LoggedWrite write = run.accepted(op).get(0);
      if (run.attempt(write) == null) {
        found.judged();
        found.add(
            "accepted, but tried by nobody: %s ver %d by op %s (token %d)"
                .formatted(write.key(), write.ver(), op, write.token()));
      }
    }
    return found.finding();
  }
}
