package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Row;
import java.util.HashMap;
import java.util.Map;

/**
 * C5: once a holder has read version n, everything above n is by its token or a larger one.
 *
 * <p>Reads of a holder that was overtaken later count too: nobody reads before the raise, and the
 * raise is what shuts smaller tokens out for ever. Row mode raises and reads by claim, so it
 * promises the same. Which reads count is said at {@link Raised}.
 */
final class WritesPastReads implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C5);
    Map<String, Rising<Call>> reads = new HashMap<>();
    for (Call read : run.reads()) {
      Long token = read.token();
      if (token != null) {
        for (Map.Entry<String, Row> row : read.rows().entrySet()) {
          reads
              .computeIfAbsent(row.getKey(), key -> new Rising<>())
              .add(row.getValue().ver(), token, read);
        }
      }
    }
    run.rows()
        .forEach(
            (key, log) -> {
              Rising<Call> seen = reads.get(key);
              if (seen == null) {
                return;
              }
              for (LoggedWrite write : log) {
                found.judged();
                Rising.Entry<Call> read = seen.before(write.ver());
                if (read != null && read.number() > write.token()) {
                  found.add(text(key, write, read), read.source(), run.attempt(write));
                }
              }
            });
    return found.finding();
  }

  private static String text(String key, LoggedWrite write, Rising.Entry<Call> read) {
    Row row = read.source().rows().get(key);
    return "write past a read: %s ver %d by op %s has token %d, but %s had seen ver %s before it"
        .formatted(
            key,
            write.ver(),
            write.op(),
            write.token(),
            read.source().who(),
            row == null ? "?" : row.ver());
  }
}
