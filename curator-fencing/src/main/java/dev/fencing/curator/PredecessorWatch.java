package dev.fencing.curator;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The watch of a contender on the node in front of it, and on the one in front of that.
 *
 * <p>Only the deletion of the first is its release. A change of its data, as a revocation makes it,
 * a disconnect or the end of the session is not. When the second goes, it is time to list once
 * more: then it is known in advance whether the first is the last in the way, and nobody has to be
 * asked at the moment at which the lock becomes free.
 */
final class PredecessorWatch implements InFront, Watcher {

  private final Contender contender;
  private final ZooKeeper handle;
  private final String path;
  private final AtomicBoolean set = new AtomicBoolean();
  private final Watcher second = this::secondChanged;
  private volatile boolean onlyPredecessor;
  private volatile @Nullable String secondPath;

  /**
   * @param path the node in front, as the server knows it
   */
  PredecessorWatch(Contender contender, ZooKeeper handle, String path) {
    this.contender = contender;
    this.handle = handle;
    this.path = path;
  }

  boolean isOn(String other) {
    return path.equals(other);
  }

  /**
   * Sets the watches that are not set yet.
   *
   * @param only whether nothing but the node in front is in the way
   * @param secondInFront the node in front of that, null if there is none
   */
  void set(boolean only, @Nullable String secondInFront) {
    onlyPredecessor = only;
    lookAfter();
    if (!only && secondInFront != null && !secondInFront.equals(secondPath)) {
      secondPath = secondInFront;
      handle.getData(
          secondInFront,
          second,
          (code, p, c, data, stat) -> secondAnswered(Outcome.code(code)),
          null);
    }
  }

  /** Sets it, or sets it again if the connection was lost before it was answered. */
  @Override
  public void lookAfter() {
    if (set.compareAndSet(false, true)) {
      // getData and not exists: it leaves no watch on a node that is gone already.
      handle.getData(path, this, (code, p, c, data, stat) -> answered(Outcome.code(code)), null);
    }
  }

  /**
   * Removes it from this client. The server keeps a watch of this client on the node, one for all
   * that wait there, until the node goes: the request by which a single watcher is removed only
   * asks.
   */
  @Override
  public void leave() {
    remove(path, this);
    String ahead = secondPath;
    if (ahead != null) {
      remove(ahead, second);
    }
  }

  private void remove(String watched, Watcher watcher) {
    handle.removeWatches(watched, watcher, WatcherType.Data, true, (code, p, c) -> {}, null);
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
        set.set(false); // It fires once.
        if (!contender.isOver()) {
          lookAfter();
        }
      }
    }
  }

  /** A failure costs nothing but the look ahead. */
  private void secondAnswered(Code code) {
    if (code == Code.NONODE) {
      contender.lookAhead(this);
    } else if (contender.isOver()) {
      leave();
    }
  }

  private void secondChanged(WatchedEvent event) {
    if (event.getType() == EventType.NodeDeleted) {
      contender.lookAhead(this);
    }
  }
}
