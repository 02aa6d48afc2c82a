package dev.fencing.curator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

/** The lock node of one acquisition, and what this process knows of its life. Thread-safe. */
final class LockNode {

  private final String lockPath;
  private final String path;
  private final long czxid;
  private final long session;
  private final ZooKeeper handle;
  private volatile boolean lost;

  /**
   * @param session the node's ephemeralOwner
   * @param handle the ZooKeeper handle that Curator uses now; if it is not one of {@code session},
   *     the node is lost from the start
   */
  LockNode(String lockPath, String path, long czxid, long session, ZooKeeper handle) {
    if (czxid <= 0) {
      throw new IllegalArgumentException("a czxid is greater than 0, this one is " + czxid);
    }
    this.lockPath = lockPath;
    this.path = path;
    this.czxid = czxid;
    this.session = session;
    this.handle = handle;
  }

  String lockPath() {
    return lockPath;
  }

  String path() {
    return path;
  }

  long token() {
    return czxid;
  }

  /**
   * Tells whether the session that owns the node is known to have ended. No I/O.
   *
   * <p>Asked of the handle and not of Curator's connection state, for three reasons: the handle is
   * closed before Curator reports the LOST of its session, so this is not later; it needs no event,
   * so a blocked event thread hides nothing and no listener can leak or race with a grant; and a
   * LOST that is delivered late, when a new session exists already, cannot be taken for the end of
   * the new one. The session id is compared because a server may hand a reconnecting client a new
   * session without an Expired event. A handle that is merely disconnected is alive and keeps its
   * id.
   */
  boolean isLost() {
    // The state first: it is volatile and written after the id, which is not volatile.
    if (!lost && (!handle.getState().isAlive() || handle.getSessionId() != session)) {
      lost = true; // For good, whatever the handle says later.
    }
    return lost;
  }

  void requireNotLost() {
    if (isLost()) {
      throw new LeaseLostException(
          lockPath,
          czxid,
          "the lock %s is lost (token %d): its ZooKeeper session 0x%x has ended, and another holder"
                  .formatted(lockPath, czxid, session)
              + " may be at work; stop what was done under this token, release it and acquire"
              + " again, which gives a new token");
    }
  }

  /** Deletes the node in the background, for as long as the client lives. Does not block. */
  static void deleteInBackground(CuratorFramework client, String path) throws Exception {
    client.delete().quietly().guaranteed().inBackground().forPath(path);
  }

  @Override
  public String toString() {
    return "%s (czxid %d, session 0x%x)".formatted(path, czxid, session);
  }
}
