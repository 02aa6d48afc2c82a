package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.OpFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * C3: in the order of versions no token is smaller than one before it, and no raise succeeds that
 * began after a raise by a larger token had succeeded.
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
    raises(run, found);
    return found.finding();
  }

  private static void raises(Indexed run, Violations found) {
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
  }

  private static String fence(Call raise) {
    String key = raise.invoke().key();
    return key == null ? raise.resource() : raise.resource() + " " + key;
  }
}
