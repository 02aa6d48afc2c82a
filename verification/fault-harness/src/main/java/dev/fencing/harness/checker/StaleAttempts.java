package dev.fencing.harness.checker;

import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was tried under a token after a larger one had been raised; in arms that raise nothing,
 * after a larger one had been granted. An attempt that began before and was refused as stale counts
 * too.
 *
 * @param tried all of them, by time
 * @param refused those that were refused as stale
 * @param unknown those of which nobody knows
 */
public record StaleAttempts(List<Call> tried, long refused, long unknown) {

  private static final Set<OpFunction> JUDGED =
      EnumSet.of(
          OpFunction.RAISE, OpFunction.CLAIM, OpFunction.READ, OpFunction.WRITE, OpFunction.RENEW);

  /** Finds them. */
  public static StaleAttempts of(Indexed run) {
    Map<String, Rising<Call>> raised = new HashMap<>();
    List<OpFunction> raising =
        run.raises()
            ? List.of(OpFunction.RAISE, OpFunction.CLAIM, OpFunction.RENEW)
            : List.of(OpFunction.ACQUIRE);
    for (OpFunction f : raising) {
      for (Call raise : run.calls(f)) {
        Long token = raise.token();
        if (raise.ok() && token != null) {
          raised
              .computeIfAbsent(raise.resource(), fence -> new Rising<>())
              .add(raise.end(), token, raise);
        }
      }
    }
    List<Call> tried = new ArrayList<>();
    long refused = 0;
    long unknown = 0;
    for (Call call : run.calls()) {
      Long token = call.token();
      if (token == null || !JUDGED.contains(call.f())) {
        continue;
      }
      Rising<Call> fence = raised.get(call.resource());
      Rising.Entry<Call> larger = fence == null ? null : fence.before(call.start());
      if (call.isStale() || (larger != null && larger.number() > token)) {
        tried.add(call);
        refused += call.isStale() ? 1 : 0;
        unknown += call.type() == OpType.INFO ? 1 : 0;
      }
    }
    return new StaleAttempts(tried, refused, unknown);
  }
}
