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
 * C6: what was acknowledged or read before a read began is seen by it, and has a smaller version
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
    Map<String, Rising<Seen>> seen = seen(run);
    for (Call write : run.calls(OpFunction.WRITE)) {
      for (LoggedWrite row : run.accepted(write.invoke().op())) {
        found.judged();
        Seen before = before(seen, row.key(), write.start());
        if (before != null
            && (before.ver() > row.ver() || (before.isRead() && before.ver() == row.ver()))) {
          found.add(
              "out of order: %s ver %d by op %s began after ver %d %s"
                  .formatted(row.key(), row.ver(), row.op(), before.ver(), before.how()),
              before.call(),
              write);
        }
      }
    }
    for (Call read : run.reads()) {
      read.rows()
          .forEach(
              (key, row) -> {
                found.judged();
                Seen before = before(seen, key, read.start());
                if (before != null && before.ver() > row.ver()) {
                  found.add(
                      "stale read: %s saw %s at ver %d, but ver %d %s before"
                          .formatted(read.who(), key, row.ver(), before.ver(), before.how()),
                      before.call(),
                      read);
                }
                compare(run, read, key, row, found);
              });
    }
    return found.finding();
  }

  /** That a version of a row was there: a write that was acknowledged, or a read. */
  private record Seen(long ver, Call call) {

    boolean isRead() {
      return call.f() != OpFunction.WRITE;
    }

    String how() {
      return isRead()
          ? "had been seen by " + call.who()
          : "by op %s had been acknowledged".formatted(call.invoke().op());
    }
  }

  private static Map<String, Rising<Seen>> seen(Indexed run) {
    Map<String, Rising<Seen>> seen = new HashMap<>();
    for (Call write : run.calls(OpFunction.WRITE)) {
      if (write.ok()) {
        run.accepted(write.invoke().op()).forEach(row -> add(seen, row.key(), row.ver(), write));
      }
    }
    for (Call read : run.reads()) {
      read.rows().forEach((key, row) -> add(seen, key, row.ver(), read));
    }
    return seen;
  }

  private static void add(Map<String, Rising<Seen>> seen, String key, long ver, Call call) {
    seen.computeIfAbsent(key, row -> new Rising<>()).add(call.end(), ver, new Seen(ver, call));
  }

  private static @Nullable Seen before(Map<String, Rising<Seen>> seen, String key, long time) {
    Rising<Seen> row = seen.get(key);
    Rising.Entry<Seen> before = row == null ? null : row.before(time);
    return before == null ? null : before.source();
  }

  private static void compare(Indexed run, Call read, String key, Row row, Violations found) {
    List<LoggedWrite> log = run.rows().getOrDefault(key, List.of());
    if (row.ver() == 0) {
      LoggedWrite first = at(log, 1);
      if (first != null && !Objects.equals(first.old(), row.value())) {
        found.add(
            "wrong value: %s saw %s before its first write as %s, but op %s started from %s"
                .formatted(read.who(), key, row.value(), first.op(), first.old()),
            run.attempt(first),
            read);
      }
      return;
    }
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
