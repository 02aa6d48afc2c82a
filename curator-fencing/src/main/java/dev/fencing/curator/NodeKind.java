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
