package dev.fencing.harness.checker;

import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * C8: whoever is refused as stale has been overtaken: before the refusal a larger token, or the
 * same one in another raise, was presented to the fence and may have become it. Its own raise,
 * claim or renewal is no reason once it has succeeded: what begins then has its handle. Only a
 * second raise of one token is refused because of the first.
 *
 * <p>A raise counts from its beginning, unless it certainly failed, because its answer may come
 * much later than its effect. An accepted write, or one whose outcome is unknown, counts like a
 * raise, for arms in which writes move the fence.
 */
final class FalseRefusals implements Rule {

  private static final List<OpFunction> RAISING =
      List.of(OpFunction.RAISE, OpFunction.CLAIM, OpFunction.RENEW);

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C8);
    Map<String, Rising<Call>> larger = new HashMap<>();
    Map<String, List<Call>> same = new HashMap<>();
    for (Call call : run.calls()) {
      Long token = call.token();
      boolean raises = RAISING.contains(call.f());
      if (token == null || call.type() == OpType.FAIL) {
        continue;
      }
      if (raises || call.f() == OpFunction.WRITE) {
        larger
            .computeIfAbsent(call.resource(), resource -> new Rising<>())
            .add(call.start(), token, call);
      }
      if (raises) {
        same.computeIfAbsent(call.resource() + " " + token, fence -> new ArrayList<>()).add(call);
      }
    }
    for (Call refused : run.calls()) {
      Long token = refused.token();
      if (!refused.isStale() || token == null) {
        continue;
      }
      found.judged();
      Rising<Call> raised = larger.get(refused.resource());
      Rising.Entry<Call> largest = raised == null ? null : raised.before(refused.end());
      boolean overtaken = largest != null && largest.number() > token;
      List<Call> equal = same.getOrDefault(refused.resource() + " " + token, List.of());
      if (!overtaken && equal.stream().noneMatch(raise -> replaces(raise, refused))) {
        found.add(
            "false refusal: %s on %s was refused, but the largest token until then was %s"
                .formatted(
                    refused.who(), refused.resource(), largest == null ? "none" : largest.number()),
            largest == null ? null : largest.source(),
            refused);
      }
    }
    return found.finding();
  }

  /** Tells whether a raise of the same token may have made another handle of the fence. */
  private static boolean replaces(Call raise, Call refused) {
    return raise.start() < refused.end()
        && (refused.f() == OpFunction.RAISE
            || raise.end() > refused.start()
            || !Objects.equals(raise.hold(), refused.hold()));
  }
}
