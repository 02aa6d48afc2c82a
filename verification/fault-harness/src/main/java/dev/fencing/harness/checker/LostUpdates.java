package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * C4: every write was computed from the version just before it, starts from the value that is
 * there, and keeps it if it is a list.
 */
final class LostUpdates implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C4);
    run.rows().forEach((key, log) -> row(run, key, log, found));
    return found.finding();
  }

  private static void row(Indexed run, String key, List<LoggedWrite> log, Violations found) {
    for (int i = 0; i < log.size(); i++) {
      LoggedWrite write = log.get(i);
      LoggedWrite before = i == 0 ? null : log.get(i - 1);
      found.judged();
      if (write.readVer() < write.ver() - 1) {
        LoggedWrite lost = firstAfter(log, write.readVer());
        found.add(
            "lost update: %s ver %d by op %s (token %d) read ver %d, but %s"
                .formatted(
                    key,
                    write.ver(),
                    write.op(),
                    write.token(),
                    write.readVer(),
                    lost == null || lost.ver() == write.ver()
                        ? "ver %d lies between".formatted(write.ver() - 1)
                        : "ver %d by op %s (token %d) lies between"
                            .formatted(lost.ver(), lost.op(), lost.token())),
            lost == null ? null : run.attempt(lost),
            run.attempt(write));
      } else if (write.readVer() >= write.ver()) {
        found.add(
            "impossible read: %s ver %d by op %s (token %d) says that it read ver %d"
                .formatted(key, write.ver(), write.op(), write.token(), write.readVer()),
            run.attempt(write));
      } else if (before != null
          && before.ver() == write.readVer()
          && !Objects.equals(before.fresh(), write.old())) {
        found.add(
            "broken chain: %s ver %d by op %s (token %d) starts from %s, but ver %d by op %s left %s"
                .formatted(
                    key,
                    write.ver(),
                    write.op(),
                    write.token(),
                    write.old(),
                    before.ver(),
                    before.op(),
                    before.fresh()),
            run.attempt(before),
            run.attempt(write));
      } else if (forgets(write.old(), write.fresh())) {
        found.add(
            "lost elements: %s ver %d by op %s (token %d) made %s of %s"
                .formatted(key, write.ver(), write.op(), write.token(), write.fresh(), write.old()),
            run.attempt(write));
      }
    }
  }

  private static boolean forgets(@Nullable Object old, @Nullable Object fresh) {
    return old instanceof List<?> was
        && !(fresh instanceof List<?> is
            && is.size() > was.size()
            && is.subList(0, was.size()).equals(was));
  }

  /** Binary search; versions may be missing. */
  private static @Nullable LoggedWrite firstAfter(List<LoggedWrite> log, long ver) {
    int low = 0;
    int high = log.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (log.get(middle).ver() <= ver) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == log.size() ? null : log.get(low);
  }
}
