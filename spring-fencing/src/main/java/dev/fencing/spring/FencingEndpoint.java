package dev.fencing.spring;

import dev.fencing.jdbc.FenceState;
import dev.fencing.jdbc.JdbcFence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Who holds what, and who waits. For people: it is old as soon as it is read. */
@Endpoint(id = "fencing")
final class FencingEndpoint {

  /** ZooKeeper is asked once for each resource, so not about all of very many. */
  private static final int MOST_QUEUES = 100;

  /**
   * All resources.
   *
   * @param resources in the order of their names
   */
  record Resources(List<Entry> resources) {}

  /**
   * One resource.
   *
   * @param token as text: the numbers of JavaScript end at 2^53
   * @param holder who raised the fence last, perhaps no longer
   * @param since when that was
   * @param origin the lock path, if the tokens come from one
   * @param lockedBy who has the lock now; null: nobody, or not asked
   * @param waiting who waits for it, in order
   * @param error why ZooKeeper could not be asked, about this one and so not about those that
   *     follow
   */
  record Entry(
      String resource,
      String token,
      long generation,
      @Nullable String holder,
      Instant since,
      @Nullable String origin,
      boolean retired,
      @Nullable String lockedBy,
      List<String> waiting,
      @Nullable String error) {}

  private final FencedLocks locks;
  private final JdbcFence fence;

  FencingEndpoint(FencedLocks locks, JdbcFence fence) {
    this.locks = locks;
    this.fence = fence;
  }

  @ReadOperation
  Resources all() {
    List<Entry> entries = new ArrayList<>();
    boolean ask = true; // Not again after a question that took its whole time-out.
    for (FenceState state : fence.all()) {
      Entry entry = entry(state, ask && entries.size() < MOST_QUEUES);
      ask &= entry.error() == null;
      entries.add(entry);
    }
    return new Resources(entries);
  }

  @ReadOperation
  @Nullable Entry one(@Selector(match = Selector.Match.ALL_REMAINING) String... resource) {
    return fence.current(String.join("/", resource)).map(state -> entry(state, true)).orElse(null);
  }

  private Entry entry(FenceState state, boolean withQueue) {
    List<String> queue = List.of();
    String error = null;
    if (withQueue && isLocked(state) && !locks.client().getZookeeperClient().isConnected()) {
      error = "ZooKeeper is not connected"; // To ask would take the whole time-out.
    } else if (withQueue && isLocked(state)) {
      try {
        queue = locks.participants(state.resource());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        error = e.toString();
      } catch (Exception e) {
        error = e.toString();
      }
    }
    return new Entry(
        state.resource(),
        Long.toString(state.token()),
        state.generation(),
        state.holder(),
        state.raisedAt(),
        state.origin(),
        state.retired(),
        queue.isEmpty() ? null : queue.get(0),
        queue.isEmpty() ? queue : queue.subList(1, queue.size()),
        error);
  }

  /** Whether the tokens come from a lock of these locks. */
  private boolean isLocked(FenceState state) {
    try {
      return locks.lockPath(state.resource()).equals(state.origin());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
