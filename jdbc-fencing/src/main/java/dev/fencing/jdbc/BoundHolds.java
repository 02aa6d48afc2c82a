package dev.fencing.jdbc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The holds under which the current thread works, for the fenced DataSource. */
final class BoundHolds {

  private static final ThreadLocal<@Nullable List<Bound>> HERE = new ThreadLocal<>();

  /** One hold, and the connections that were taken under it and are not closed yet. */
  private record Bound(FencedResource handle, Set<FencedConnection> taken) {}

  private BoundHolds() {}

  /** The holds of one fence, in the order of their names. */
  static List<FencedResource> of(JdbcFence fence) {
    List<Bound> here = HERE.get();
    return here == null
        ? List.of()
        : here.stream()
            .map(Bound::handle)
            .filter(handle -> handle.fence() == fence)
            .sorted(Comparator.comparing(FencedResource::resource))
            .toList();
  }

  /** Runs {@code work} with a hold bound, and rolls back what it has left open on connections. */
  static <T extends @Nullable Object, X extends Exception> T call(
      FencedResource handle, FencedWork<T, X> work) throws X {
    List<Bound> here = HERE.get();
    if (here == null) {
      here = new ArrayList<>();
      HERE.set(here);
    }
    for (Bound outer : here) {
      if (outer.handle == handle) {
        return work.run(handle);
      }
      if (outer.handle.fence() == handle.fence()
          && outer.handle.resource().equals(handle.resource())) {
        throw new IllegalStateException(
            "%s is bound to this thread already, and %s is another handle of the same resource: one thread works under one hold of a resource"
                .formatted(outer.handle, handle));
      }
    }
    Bound mine = new Bound(handle, ConcurrentHashMap.newKeySet());
    here.add(mine);
    try {
      return work.run(handle);
    } finally {
      here.remove(mine);
      if (here.isEmpty()) {
        HERE.remove(); // Leaves nothing behind on a pooled thread.
      }
      mine.taken.forEach(FencedConnection::leaked);
    }
  }

  /** Whether this thread has a transaction open that has checked this fence. */
  static boolean haveOpen(JdbcFence fence, String resource) {
    List<Bound> here = HERE.get();
    return here != null
        && here.stream()
            .filter(bound -> bound.handle.fence() == fence)
            .flatMap(bound -> bound.taken.stream())
            .anyMatch(connection -> connection.holdsFence(resource));
  }

  /** Notes a connection with the innermost hold of its fence, which must not outlive its work. */
  static void taken(JdbcFence fence, FencedConnection connection) {
    List<Bound> here = HERE.get();
    if (here != null) {
      for (int i = here.size() - 1; i >= 0; i--) {
        if (here.get(i).handle.fence() == fence) {
          connection.noteIn(here.get(i).taken);
          return;
        }
      }
    }
  }
}
