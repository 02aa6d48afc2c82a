package dev.fencing.curator;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * The watch of a contender on the node in front of it.
 *
 * <p>Only the deletion of that node is its release. A change of its data, as a revocation makes it,
 * a disconnect or the end of the session is not.
 */
final class PredecessorWatch implements InFront, Watcher {

  private final Contender contender;
  private final ZooKeeper handle;
  private final String path;
  private final boolean onlyPredecessor;
  private final AtomicBoolean set = new AtomicBoolean();

  PredecessorWatch(Contender contender, ZooKeeper handle, String path, boolean onlyPredecessor) {
    this.contender = contender;
    this.handle = handle;
    this.path = path;
    this.onlyPredecessor = onlyPredecessor;
  }

  void set() {
    set.set(true);
    // getData and not exists: it leaves no watch on a node that is gone already.
    handle.getData(path, this, (code, p, c, data, stat) -> answered(Outcome.code(code)), null);
  }

  /** Sets it again if the connection was lost before it was answered. */
  @Override
  public void lookAfter() {
    if (!set.get()) {
      set();
    }
  }

  /**
   * Removes it from this client. The server keeps a watch of this client on the node, one for all
   * that wait there, until the node goes: the request by which a single watcher is removed only
   * asks.
   */
  @Override
  public void leave() {
    handle.removeWatches(path, this, WatcherType.Data, true, (code, p, c) -> {}, null);
  }

  private void answered(Code code) {
    if (code == Code.NONODE) {
      contender.goneInFront(this, onlyPredecessor);
    } else if (LockQueue.isPassing(code)) {
      set.set(false);
    } else if (code != Code.OK) {
      contender.end(Outcome.failed(code, path));
    } else if (contender.isOver()) {
      leave(); // The removal was sent before the client knew of the watch.
    }
  }

  @Override
  public void process(WatchedEvent event) {
    switch (event.getType()) {
      case NodeDeleted -> contender.goneInFront(this, onlyPredecessor);
      case None -> {} // The contender looks at its session with every beat.
      default -> {
        if (!contender.isOver()) {
          set(); // It fires once.
        }
      }
    }
  }
}
