package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * C6: a write that was acknowledged before a read began is seen by it, and has a smaller version
 * than a write that began later; and what was read is what the log has at that version.
 *
 * <p>Every read that counts, see {@link Raised}, counts here, stale ones too: the database is one
 * primary, each read is made after its invocation is written down, and a stale holder that must not
 * read gets a refusal, not an old value.
 */
final class RealTime implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C6);
    if (run.run().log() == null) {
      return found.finding("the log of accepted writes is missing");
    }
    Map<String, Rising<LoggedWrite>> acknowledged = new HashMap<>();
    for (Call write : run.calls(OpFunction.WRITE)) {
      if (write.ok()) {
        for (LoggedWrite row : run.accepted(write.invoke().op())) {
          acknowledged
              .computeIfAbsent(row.key(), key -> new Rising<>())
              .add(write.end(), row.ver(), row);
        }
      }
    }
    for (Call write : run.calls(OpFunction.WRITE)) {
      for (LoggedWrite row : run.accepted(write.invoke().op())) {
        found.judged();
        Rising.Entry<LoggedWrite> before = before(acknowledged, row.key(), write);
        if (before != null && before.number() > row.ver()) {
          found.add(
              "out of order: %s ver %d by op %s began after ver %d by op %s had been acknowledged"
                  .formatted(row.key(), row.ver(), row.op(), before.number(), before.source().op()),
              run.attempt(before.source()),
              write);
        }
      }
    }
    reads(run, acknowledged, found);
    return found.finding();
  }

  private static void reads(
      Indexed run, Map<String, Rising<LoggedWrite>> acknowledged, Violations found) {
    for (Call read : run.reads()) {
      read.rows()
          .forEach(
              (key, row) -> {
                found.judged();
                Rising.Entry<LoggedWrite> before = before(acknowledged, key, read);
                if (before != null && before.number() > row.ver()) {
                  found.add(
                      "stale read: %s saw %s at ver %d, but ver %d by op %s had been acknowledged before"
                          .formatted(
                              read.who(), key, row.ver(), before.number(), before.source().op()),
                      run.attempt(before.source()),
                      read);
                }
                compare(run, read, key, row, found);
              });
    }
  }

  private static void compare(Indexed run, Call read, String key, Row row, Violations found) {
    if (row.ver() == 0) {
      return;
    }
    List<LoggedWrite> log = run.rows().getOrDefault(key, List.of());
    LoggedWrite write = at(log, row.ver());
    if (write == null) {
      found.add(
          "read of nothing: %s saw %s at ver %d, which the log does not have (its last is %d)"
              .formatted(
                  read.who(), key, row.ver(), log.isEmpty() ? 0 : log.get(log.size() - 1).ver()),
          read);
    } else if (!Objects.equals(write.fresh(), row.value())) {
      found.add(
          "wrong value: %s saw %s at ver %d as %s, but op %s had written %s"
              .formatted(read.who(), key, row.ver(), row.value(), write.op(), write.fresh()),
          run.attempt(write),
          read);
    }
  }

  private static Rising.@Nullable Entry<LoggedWrite> before(
      Map<String, Rising<LoggedWrite>> acknowledged, String key, Call call) {
    Rising<LoggedWrite> row = acknowledged.get(key);
    return row == null ? null : row.before(call.start());
  }

  /** Versions are dense but for violations of C1, so the place is near. */
  private static @Nullable LoggedWrite at(List<LoggedWrite> log, long ver) {
    int low = 0;
    int high = log.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long found = log.get(middle).ver();
      if (found == ver) {
        return log.get(middle);
      }
      if (found < ver) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }
}
