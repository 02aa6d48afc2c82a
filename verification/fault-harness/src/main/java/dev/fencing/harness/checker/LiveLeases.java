package dev.fencing.harness.checker;

import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * C9: what a lease says of itself. That it calls itself live while a larger token has been granted
 * is what no lock service can rule out, so it is counted, and is no violation. A violation is a
 * lease that comes back to life, or that calls itself live after it was given back.
 */
final class LiveLeases implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C9);
    Map<String, Rising<Hold>> granted = new HashMap<>();
    Map<String, Hold> holds = new HashMap<>();
    for (Hold hold : run.holds()) {
      holds.put(hold.name(), hold);
      granted
          .computeIfAbsent(hold.resource(), lock -> new Rising<>())
          .add(hold.from(), hold.token(), hold);
    }
    Map<String, Op> dead = new HashMap<>();
    Map<Integer, Long> before = new HashMap<>();
    long superseded = 0;
    for (Op op : run.run().history()) {
      // It was asked after the line that the same process wrote before this one.
      long asked = Objects.requireNonNullElse(before.put(op.process(), op.time()), Long.MIN_VALUE);
      Hold hold = holds.get(Objects.requireNonNullElse(op.hold(), ""));
      if (op.live() == null || hold == null) {
        continue;
      }
      found.judged();
      if (!op.live()) {
        dead.putIfAbsent(hold.name(), op);
        continue;
      }
      Op lost = dead.get(hold.name());
      Rising.Entry<Hold> larger =
          Objects.requireNonNull(granted.get(hold.resource())).before(asked);
      if (larger != null && larger.number() > hold.token()) {
        superseded++;
      }
      if (lost != null && lost.time() < asked) {
        found.add(
            "back to life: hold %s of %s (token %d) said at :index %d that it was lost, and at :index %d that it is live"
                .formatted(hold.name(), hold.resource(), hold.token(), lost.index(), op.index()),
            new Call(lost, op));
      } else if (hold.release() != null
          && hold.release().type() == OpType.OK
          && hold.release().end() < asked
          && op.f() != OpFunction.ACQUIRE) {
        found.add(
            "live after its release: hold %s of %s (token %d), at :index %d"
                .formatted(hold.name(), hold.resource(), hold.token(), op.index()),
            hold.release(),
            new Call(op, null));
      }
    }
    return found.finding(
        superseded, "live while a larger token had been granted: %d times".formatted(superseded));
  }
}
