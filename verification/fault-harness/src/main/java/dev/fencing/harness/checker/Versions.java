package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import java.util.HashMap;
import java.util.Map;

/** C1: the versions of a row are 1, 2, 3 and so on, and no attempt is accepted twice. */
final class Versions implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C1);
    run.rows()
        .forEach(
            (key, log) -> {
              long expected = 1;
              LoggedWrite before = null;
              Map<String, LoggedWrite> attempts = new HashMap<>();
              for (LoggedWrite write : log) {
                found.judged();
                Call call = run.attempt(write);
                if (before != null && before.ver() == write.ver()) {
                  found.add(
                      "same version twice: %s ver %d by op %s (token %d) and by op %s (token %d)"
                          .formatted(
                              key,
                              write.ver(),
                              before.op(),
                              before.token(),
                              write.op(),
                              write.token()),
                      run.attempt(before),
                      call);
                } else if (write.ver() != expected) {
                  found.add(
                      "gap: %s ver %d by op %s (token %d) follows ver %d, ver %d is missing"
                          .formatted(
                              key,
                              write.ver(),
                              write.op(),
                              write.token(),
                              before == null ? 0 : before.ver(),
                              expected),
                      call);
                }
                LoggedWrite same = attempts.putIfAbsent(write.op(), write);
                if (same != null) {
                  found.add(
                      "op %s was applied twice: %s ver %d and ver %d"
                          .formatted(write.op(), key, same.ver(), write.ver()),
                      call);
                }
                expected = write.ver() + 1;
                before = write;
              }
            });
    return found.finding();
  }
}
