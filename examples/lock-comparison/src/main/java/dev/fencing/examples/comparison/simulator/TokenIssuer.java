package dev.fencing.examples.comparison.simulator;

import java.util.HashMap;
import java.util.Map;

/** Counts the grants of each resource. */
final class TokenIssuer {

  private final Map<String, Long> last = new HashMap<>();

  /** Returns 1 for the first grant of a resource, and 1 more for each that follows. */
  long next(String resource) {
    return last.merge(resource, 1L, Long::sum);
  }
}
