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

  /** Throws where {@code what} would wait for a transaction of this very thread. */
  static void refuse(JdbcFence fence, String resource, String what) {
    boolean open = BoundHolds.haveOpen(fence, resource);
    for (FencedResource handle : here().keySet()) {
      open |= handle.fence() == fence && handle.resource().equals(resource);
    }
    if (open) {
      throw new IllegalStateException(
          "%s of resource \"%s\" inside a fenced transaction of the same resource and thread: it would wait for that transaction, and the transaction for it. Let that transaction end first"
              .formatted(what, resource));
    }
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
