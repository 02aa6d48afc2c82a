package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * C2: every acknowledged write is in the log, no write that failed is, and everything in the log
 * was tried by somebody, so and not otherwise: all of its rows or none, with the values that were
 * sent.
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
      compare(write, accepted, found);
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

  private static void compare(Call write, List<LoggedWrite> accepted, Violations found) {
    Map<String, Object> wanted = wanted(write.invoke());
    if (accepted.isEmpty() || wanted.isEmpty()) {
      return;
    }
    Set<String> missing = new TreeSet<>(wanted.keySet());
    for (LoggedWrite row : accepted) {
      missing.remove(row.key());
      if (!Objects.equals(wanted.get(row.key()), row.fresh())) {
        found.add(
            "accepted otherwise than sent: %s ver %d by op %s (token %d) is %s, but %s was sent"
                .formatted(
                    row.key(),
                    row.ver(),
                    row.op(),
                    row.token(),
                    row.fresh(),
                    wanted.getOrDefault(row.key(), "nothing")),
            write);
      }
    }
    if (!missing.isEmpty()) {
      found.add(
          "accepted in part: %s op %s (token %s) has no rows %s in the log"
              .formatted(write.resource(), write.invoke().op(), write.token(), missing),
          write);
    }
  }

  /** Returns what was sent, by row; empty if the invocation does not tell. */
  private static Map<String, Object> wanted(Op invoke) {
    Map<String, Object> wanted = new HashMap<>();
    if (invoke.value() instanceof Map<?, ?> rows) {
      rows.forEach((key, value) -> wanted.put(key.toString(), value));
    } else if (invoke.value() != null) {
      wanted.put(
          invoke.key() != null ? invoke.key() : Objects.requireNonNullElse(invoke.resource(), ""),
          invoke.value());
    }
    return wanted;
  }
}
