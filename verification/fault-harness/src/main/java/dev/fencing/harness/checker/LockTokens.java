package dev.fencing.harness.checker;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.OpFunction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * C7: a grant that was asked for after another one had been given has a larger token, no two holds
 * of a lock have the same token, and a hold has one token, at re-entry as in everything it does.
 *
 * <p>Grants on two sides of a rebuilt ensemble are not compared, and those that were asked for or
 * given while it was rebuilt not at all.
 */
final class LockTokens implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C7);
    List<Fault> rebuilt =
        run.run().faults().stream()
            .filter(fault -> fault.kind() == FaultKind.TOKEN_GOES_BACK)
            .toList();
    Map<String, Rising<Hold>> granted = new HashMap<>();
    Map<String, Hold> owners = new HashMap<>();
    Map<String, Hold> byName = new HashMap<>();
    for (Hold hold : run.holds()) {
      byName.put(hold.name(), hold);
      String epoch = epoch(hold, rebuilt);
      granted.computeIfAbsent(epoch, name -> new Rising<>()).add(hold.from(), hold.token(), hold);
      Hold owner = owners.putIfAbsent(epoch + " " + hold.token(), hold);
      if (owner != null) {
        found.add(
            "same token twice: %d of %s was granted to hold %s and to hold %s"
                .formatted(hold.token(), hold.resource(), owner.name(), hold.name()),
            owner.acquire(),
            hold.acquire());
      }
    }
    for (Hold hold : run.holds()) {
      found.judged();
      Rising.Entry<Hold> before =
          Objects.requireNonNull(granted.get(epoch(hold, rebuilt))).before(hold.acquire().start());
      if (before != null && before.number() > hold.token()) {
        found.add(
            "token fell: %s gave token %d to hold %s, which asked after hold %s had been given token %d"
                .formatted(
                    hold.resource(),
                    hold.token(),
                    hold.name(),
                    before.source().name(),
                    before.number()),
            before.source().acquire(),
            hold.acquire());
      }
    }
    for (Call call : run.calls()) {
      Hold hold = byName.get(Objects.requireNonNullElse(call.hold(), ""));
      Long token = call.token();
      if (hold != null && token != null && token != hold.token()) {
        found.add(
            "%s: hold %s of %s was granted token %d, but this one has token %d"
                .formatted(
                    call.f() == OpFunction.ACQUIRE
                        ? "re-entry changed the token"
                        : "another token than granted",
                    hold.name(),
                    hold.resource(),
                    hold.token(),
                    token),
            hold.acquire(),
            call);
      }
    }
    for (Call write : run.calls(OpFunction.WRITE)) {
      Hold hold = byName.get(Objects.requireNonNullElse(write.hold(), ""));
      for (LoggedWrite row : run.accepted(write.invoke().op())) {
        if (hold != null && row.token() != hold.token()) {
          found.add(
              "another token than granted: hold %s of %s was granted token %d, but %s ver %d by op %s was accepted with token %d"
                  .formatted(
                      hold.name(),
                      hold.resource(),
                      hold.token(),
                      row.key(),
                      row.ver(),
                      row.op(),
                      row.token()),
              hold.acquire(),
              write);
        }
      }
    }
    return found.finding();
  }

  /** Names the lock in one life of its ensemble; a grant on the border has an epoch of its own. */
  private static String epoch(Hold hold, List<Fault> rebuilt) {
    int epoch = 0;
    for (Fault fault : rebuilt) {
      if (hold.from() >= fault.from() && hold.acquire().start() <= fault.to()) {
        return hold.resource() + " border " + hold.name();
      }
      if (hold.acquire().start() > fault.to()) {
        epoch++;
      }
    }
    return hold.resource() + " " + epoch;
  }
}
