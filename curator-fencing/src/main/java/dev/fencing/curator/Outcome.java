package dev.fencing.curator;

import org.apache.zookeeper.KeeperException;

/** How one attempt to acquire a lock has ended. */
sealed interface Outcome {

  /** The lock is held by way of this node. */
  record Granted(LockNode node) implements Outcome {}

  /** The time was up; {@code busy} if the lock was known to be held by somebody else. */
  record TimedOut(boolean busy) implements Outcome {}

  /** The node of the attempt is gone, as it is when its session ends: a new node is needed. */
  record NodeGone(boolean hadPlaceInQueue) implements Outcome {}

  /** ZooKeeper or Curator refused. */
  record Failed(Exception cause) implements Outcome {}

  /** Returns what an answer says, also if this client does not know its code. */
  static KeeperException.Code code(int code) {
    KeeperException.Code known = KeeperException.Code.get(code);
    return known == null ? KeeperException.Code.SYSTEMERROR : known;
  }

  static Outcome failed(KeeperException.Code code, String path) {
    return new Failed(KeeperException.create(code, path));
  }
}
