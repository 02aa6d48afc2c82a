package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.OpFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * C3: in the order of versions no token is smaller than one before it, and neither a raise nor a
 * write succeeds that began after a raise by a larger token had succeeded.
 *
 * <p>The last is what a raise promises. It cannot be left to the order of versions and to C5: the
 * holder that has raised may have died, or not have read or written that row yet.
 */
final class TokenOrder implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C3);
    run.rows()
        .forEach(
            (key, log) -> {
              LoggedWrite highest = null;
              for (LoggedWrite write : log) {
                found.judged();
                if (highest != null && write.token() < highest.token()) {
                  found.add(
                      "stale write accepted: %s ver %d by op %s has token %d, but ver %d by op %s had token %d"
                          .formatted(
                              key,
                              write.ver(),
                              write.op(),
                              write.token(),
                              highest.ver(),
                              highest.op(),
                              highest.token()),
                      run.attempt(highest),
                      run.attempt(write));
                } else {
                  highest = write;
                }
              }
            });
    pastRaises(run, found);
    return found.finding();
  }

  private static void pastRaises(Indexed run, Violations found) {
    List<Call> raises = new ArrayList<>();
    Map<String, Rising<Call>> done = new HashMap<>();
    for (OpFunction f : List.of(OpFunction.RAISE, OpFunction.CLAIM, OpFunction.RENEW)) {
      for (Call raise : run.calls(f)) {
        if (raise.ok() && raise.token() != null) {
          raises.add(raise);
          done.computeIfAbsent(fence(raise), fence -> new Rising<>())
              .add(raise.end(), raise.token(), raise);
        }
      }
    }
    for (Call raise : raises) {
      found.judged();
      Rising.Entry<Call> larger =
          Objects.requireNonNull(done.get(fence(raise))).before(raise.start());
      if (larger != null && larger.number() > Objects.requireNonNull(raise.token())) {
        found.add(
            "fence fell: %s of %s succeeded after %s had"
                .formatted(raise.who(), fence(raise), larger.source().who()),
            larger.source(),
            raise);
      }
    }
    for (Call write : run.calls(OpFunction.WRITE)) {
      for (LoggedWrite row : run.accepted(write.invoke().op())) {
        found.judged();
        // A claim raises one row; other raises are of the whole resource.
        for (String fence : new TreeSet<>(List.of(write.resource(), fence(write)))) {
          Rising<Call> raised = done.get(fence);
          Rising.Entry<Call> larger = raised == null ? null : raised.before(write.start());
          if (larger != null && larger.number() > row.token()) {
            found.add(
                "write past a raise: %s ver %d by op %s has token %d, and began after %s had succeeded"
                    .formatted(row.key(), row.ver(), row.op(), row.token(), larger.source().who()),
                larger.source(),
                write);
          }
        }
      }
    }
  }

  private static String fence(Call call) {
    String key = call.invoke().key();
    return key == null ? call.resource() : call.resource() + " " + key;
  }
}
