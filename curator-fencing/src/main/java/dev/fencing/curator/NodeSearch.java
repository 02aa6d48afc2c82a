package dev.fencing.curator;

import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A look for the node of one attempt, by the id that its name begins with, on a server that has
 * caught up. Its answer comes on ZooKeeper's event thread. Does not block.
 */
final class NodeSearch {

  /** Is told what was found, by one of these methods. */
  interface Seeker {
    void found(String name, Stat stat);

    /** It is not there now; {@code wasListed} if it was a moment before. */
    void notThere(boolean wasListed);

    void failed(Code code);
  }

  private final LockQueue queue;
  private final String id;
  private final Seeker seeker;

  private NodeSearch(LockQueue queue, String id, Seeker seeker) {
    this.queue = queue;
    this.id = id;
    this.seeker = seeker;
  }

  /**
   * Sends the requests.
   *
   * @throws Exception what Curator throws instead of its handle
   */
  static void send(LockQueue queue, String id, Seeker seeker) throws Exception {
    ZooKeeper handle = queue.handle();
    NodeSearch search = new NodeSearch(queue, id, seeker);
    String parent = queue.atServer(queue.lockPath());
    handle.sync(parent, (code, p, c) -> {}, null);
    handle.getChildren(
        parent,
        false,
        (code, p, c, names) -> search.listed(Outcome.code(code), names, handle),
        null);
  }

  private void listed(Code code, @Nullable List<String> names, ZooKeeper handle) {
    if (code != Code.OK && code != Code.NONODE) {
      seeker.failed(code);
      return;
    }
    String found =
        names == null
            ? null
            : names.stream().filter(n -> n.startsWith(id)).findFirst().orElse(null);
    if (found == null) {
      seeker.notThere(false);
    } else {
      handle.exists(
          queue.childAtServer(found),
          false,
          (answer, p, c, stat) -> read(Outcome.code(answer), found, stat),
          null);
    }
  }

  private void read(Code code, String name, @Nullable Stat stat) {
    if (code == Code.OK && stat != null) {
      seeker.found(name, stat);
    } else if (code == Code.NONODE) {
      seeker.notThere(true);
    } else {
      seeker.failed(code);
    }
  }
}
