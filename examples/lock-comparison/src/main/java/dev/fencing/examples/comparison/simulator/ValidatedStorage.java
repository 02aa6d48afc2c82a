package dev.fencing.examples.comparison.simulator;

import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * A storage that knows the highest token of each resource.
 *
 * @param <V> what it stores
 */
final class ValidatedStorage<V> {

  private final Map<String, V> values = new HashMap<>();
  private final Map<String, Long> last = new HashMap<>();
  private final Map<String, Long> raised = new HashMap<>();

  /** Returns the value of a resource that was written before. */
  V read(String resource) {
    V value = values.get(resource);
    if (value == null) {
      throw new NoSuchElementException("nothing was written to " + resource);
    }
    return value;
  }

  /** Stores without asking for a token, as most storages do. */
  void overwrite(String resource, V value) {
    values.put(resource, value);
  }

  /** Lets no lower token write from now on; refused if a higher one was here before. */
  Answer raise(String resource, long token) {
    long highest = highest(resource);
    if (token < highest) {
      return refused(token, highest);
    }
    raised.put(resource, token);
    return Answer.ok("token " + token + " raised");
  }

  /**
   * Stores if the token is greater than that of the last write, and not lower than the one raised:
   * one write for each token.
   */
  Answer write(String resource, long token, V value) {
    if (token > last.getOrDefault(resource, 0L) && token >= raised.getOrDefault(resource, 0L)) {
      last.put(resource, token);
      values.put(resource, value);
      return Answer.ok("written with token " + token);
    }
    return refused(token, highest(resource));
  }

  private long highest(String resource) {
    return Math.max(last.getOrDefault(resource, 0L), raised.getOrDefault(resource, 0L));
  }

  private static Answer refused(long token, long highest) {
    return Answer.preconditionFailed("token " + token + ", but " + highest + " was seen");
  }
}
