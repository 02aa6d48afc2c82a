package dev.fencing.curator;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The watch on one's own node: tells that somebody has deleted it, of which the session says
 * nothing, and that somebody asks for the lock. Thread-safe.
 */
final class OwnNodeWatch implements Watcher {

  /** What Curator's Revoker writes into the node. */
  private static final byte[] REQUEST = "__REVOKE__".getBytes(US_ASCII);

  private final LockNode node;
  private final @Nullable Runnable requested;
  private final AtomicBoolean set = new AtomicBoolean();

  /**
   * @param requested what to run when somebody asks for the lock, null if nobody may
   */
  OwnNodeWatch(LockNode node, @Nullable Runnable requested) {
    this.node = node;
    this.requested = requested;
  }

  /** Sets it in the background, unless it is set: for a start, and once connected again. */
  void set() {
    if (set.compareAndSet(false, true)) {
      node.handle()
          .getData(
              node.queue().atServer(node.path()),
              this,
              (code, p, c, data, stat) -> answered(Outcome.code(code), data),
              null);
    }
  }

  @Override
  public void process(WatchedEvent event) {
    if (event.getType() == Event.EventType.NodeDeleted) {
      node.lose(LockNode.DELETED);
    } else if (event.getType() == Event.EventType.NodeDataChanged) {
      set.set(false); // It fires once.
      set();
    }
  }

  private void answered(Code code, byte @Nullable [] data) {
    if (code == Code.NONODE) {
      node.lose(LockNode.DELETED);
    } else if (code != Code.OK) {
      set.set(false); // The next beat tries again.
    } else if (requested != null && Arrays.equals(data, REQUEST)) {
      requested.run();
    }
  }
}
