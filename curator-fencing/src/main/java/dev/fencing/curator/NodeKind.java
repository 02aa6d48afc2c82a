package dev.fencing.curator;

import java.util.Collection;
import java.util.List;
import org.apache.curator.framework.recipes.locks.LockInternalsDriver;
import org.apache.curator.framework.recipes.locks.StandardLockInternalsDriver;

/**
 * What a contender wants: its node is named after it, and it says which lower nodes are in its way.
 *
 * <p>Names and order are Curator's, since both queue on one path.
 */
enum NodeKind {
  MUTEX("lock-"),
  READ("__READ__"),
  WRITE("__WRIT__");

  private final String prefix;

  NodeKind(String prefix) {
    this.prefix = prefix;
  }

  /** What the sequence number is appended to. */
  String prefix() {
    return prefix;
  }

  /** Returns what a node is sorted by: its sequence number, if it is one of this lock's. */
  String order(String node) {
    return this == MUTEX ? after(prefix, node) : after(WRITE.prefix, after(READ.prefix, node));
  }

  /**
   * Returns the sequence number of a node, unless the counter is used up.
   *
   * <p>ZooKeeper's counter is a signed int. At its maximum the server hands out the same number
   * again and again, or negative ones, which sort before all others: lock order would no longer be
   * token order, and two contenders could each see themselves first.
   *
   * @throws TokenOrderException if it is used up
   */
  int sequence(String lockPath, String node) {
    int sequence = Integer.parseInt(order(node));
    if (sequence < 0 || sequence == Integer.MAX_VALUE) {
      throw new TokenOrderException(
          "the lock %s was not granted: the sequence counter of its node is used up (%d), so lock"
                  .formatted(lockPath, sequence)
              + " order is no longer token order; stop all contenders, delete the node "
              + lockPath
              + " when it has no children (the counter then starts again at 0, tokens go on"
              + " rising), and acquire again");
    }
    return sequence;
  }

  private static String after(String prefix, String node) {
    return StandardLockInternalsDriver.standardFixForSorting(node, prefix);
  }

  /** Whether a node with a lower number has to go first. */
  boolean waitsFor(String lower) {
    return this != READ || lower.contains(WRITE.prefix);
  }

  /**
   * Whether the head of the queue is reached when the only node in the way goes.
   *
   * <p>Not so for a writer behind a writer, whose thread may have gone over to reading meanwhile:
   * its read node has the same number as its write node.
   */
  boolean isNextAfter(String onlyPredecessor) {
    return this != WRITE || onlyPredecessor.contains(READ.prefix);
  }

  /** Whether nobody can get in between two neighbouring numbers, see {@link LocalLine}. */
  boolean hasNeighbours() {
    return this == MUTEX;
  }

  /** Returns the nodes of this kind, in the order given. */
  List<String> only(Collection<String> nodes) {
    return nodes.stream().filter(node -> node.contains(prefix)).toList();
  }

  /** Has Curator's own listing of the participants sorted like the queue. */
  LockInternalsDriver sorter() {
    return new StandardLockInternalsDriver() {
      @Override
      public String fixForSorting(String node, String ignored) {
        return order(node);
      }
    };
  }
}
