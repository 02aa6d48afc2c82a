package dev.fencing.curator;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that one mutex object has in its queue.
 *
 * <p>ZooKeeper numbers the children of a lock path one by one, so nobody can stand between two
 * neighbouring numbers. A contender whose neighbour in front is in here needs no listing and no
 * watch: the neighbour hands the lock on when its own delete has removed its node. If somebody else
 * has removed it, with the lock path perhaps, whose counter then starts anew, the contender lists.
 *
 * <p>Thread-safe.
 */
final class LocalLine {

  private final boolean kept;
  private final Map<Integer, LockNode> bySequence = new ConcurrentHashMap<>();
  private final Set<Contender> asking = ConcurrentHashMap.newKeySet();
  private final Set<LockNode> standing = ConcurrentHashMap.newKeySet();

  /**
   * @param kept whether that is so; if not, this is always empty
   */
  LocalLine(boolean kept) {
    this.kept = kept;
  }

  /**
   * Announces a contender that is about to send its create.
   *
   * @return whether no other one of this object holds, waits or has asked, those aside whose delete
   *     has been sent
   */
  boolean ask(Contender contender) {
    boolean alone = standing.isEmpty() && asking.isEmpty();
    if (kept) {
      asking.add(contender);
    }
    return alone;
  }

  /** Its create has an answer, also if it has given up: until then there will be one more node. */
  void answered(Contender contender) {
    asking.remove(contender);
  }

  void join(LockNode node) {
    if (kept) {
      standing.add(node);
      bySequence.put(node.sequence(), node);
    }
  }

  @Nullable LockNode inFrontOf(LockNode node) {
    return bySequence.get(node.sequence() - 1);
  }

  /** Does not count the node any more: its delete is about to be sent. */
  void leaving(LockNode node) {
    standing.remove(node);
  }

  void left(LockNode node) {
    standing.remove(node);
    bySequence.remove(node.sequence(), node);
  }
}
