package dev.fencing.harness.checker;

import dev.fencing.harness.history.OpFunction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Which reads count: every acknowledged claim, and every acknowledged read but those of a hold that
 * has tried to raise and not succeeded until then. Such a hold has no promise, not even that what
 * it reads is current. A hold that never tries to raise belongs to an arm that does without, and is
 * judged by what it reads.
 */
final class Raised {

  private final Set<String> tried = new HashSet<>();
  private final Map<String, Long> since = new HashMap<>();

  Raised(List<Call> raises) {
    for (Call raise : raises) {
      String hold = raise.hold();
      if (hold != null) {
        tried.add(hold);
        if (raise.ok()) {
          since.merge(hold, raise.end(), Math::min);
        }
      }
    }
  }

  boolean counts(Call read) {
    if (read.rows().isEmpty()) {
      return false;
    }
    String hold = Objects.requireNonNullElse(read.hold(), "");
    return read.f() == OpFunction.CLAIM
        || !tried.contains(hold)
        || since.getOrDefault(hold, Long.MAX_VALUE) <= read.start();
  }
}
