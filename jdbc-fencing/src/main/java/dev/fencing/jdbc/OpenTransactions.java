package dev.fencing.jdbc;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fenced transactions that the current thread has open, so that a nested call joins its own and
 * a raise does not wait for the very thread that it runs on.
 */
final class OpenTransactions {

  private static final ThreadLocal<@Nullable Map<FencedResource, FencedTransaction>> OPEN =
      new ThreadLocal<>();

  private OpenTransactions() {}

  /** The transaction of this very handle. */
  static @Nullable FencedTransaction of(FencedResource handle) {
    return here().get(handle);
  }

  static boolean isOpen(JdbcFence fence, String resource) {
    return here().keySet().stream()
        .anyMatch(handle -> handle.fence() == fence && handle.resource().equals(resource));
  }

  static void add(FencedResource handle, FencedTransaction transaction) {
    Map<FencedResource, FencedTransaction> mine = OPEN.get();
    if (mine == null) {
      mine = new HashMap<>();
      OPEN.set(mine);
    }
    mine.put(handle, transaction);
  }

  /** Leaves nothing behind on a pooled thread. */
  static void remove(FencedResource handle) {
    Map<FencedResource, FencedTransaction> mine = here();
    mine.remove(handle);
    if (mine.isEmpty()) {
      OPEN.remove();
    }
  }

  private static Map<FencedResource, FencedTransaction> here() {
    Map<FencedResource, FencedTransaction> mine = OPEN.get();
    return mine == null ? Map.of() : mine;
  }
}
