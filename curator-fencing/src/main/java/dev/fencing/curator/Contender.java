package dev.fencing.curator;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock: one node, and one watch on the node in front of it.
 *
 * <p>The create and the listing are sent back to back and share one wait. Everything after that
 * runs on the thread that brings the news, mostly ZooKeeper's event thread, and never blocks it. An
 * attempt that ends without a grant deletes its node, also one of which the reply arrives later.
 * Thread-safe.
 */
final class Contender implements Pulse.Listener {

  private final LockQueue queue;
  private final Deadline deadline;
  private final @Nullable Runnable revocation; // For when somebody asks for the lock.
  private final NodeCreation creation;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  private final CompletableFuture<Void> cleanedUp = new CompletableFuture<>();

  // Guarded by this; the guarded sections do not block.
  private @Nullable LockNode node;
  private @Nullable List<String> listing;
  private boolean listingSent;
  private boolean listAgain;
  private boolean mustBeListed;
  private @Nullable InFront inFront;

  Contender(LockQueue queue, Deadline deadline, @Nullable Runnable revocation) {
    this.queue = queue;
    this.deadline = deadline;
    this.revocation = revocation;
    this.creation = new NodeCreation(queue, this);
  }

  /** Completes when the attempt has ended; its dependents run on the thread that ends it. */
  CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  /** Sends the create, and the listing unless a neighbour may make it needless. */
  void start(byte @Nullable [] data) {
    try {
      ZooKeeper handle = queue.handle();
      Pulse.add(this);
      boolean alone = queue.line().ask(this);
      synchronized (this) {
        listingSent = alone; // Before the reply can ask.
      }
      creation.send(data);
      if (alone) {
        list(handle);
      }
    } catch (Exception e) {
      queue.line().answered(this);
      end(new Outcome.Failed(e));
    }
  }

  /** Gives up, unless it has ended already. */
  void giveUp() {
    end(new Outcome.TimedOut(inFront() != null));
  }

  /** Gives up if somebody else is known to hold the lock; if not, what is under way may end it. */
  void giveUpIfWaiting() {
    if (inFront() != null) {
      end(new Outcome.TimedOut(true));
    }
  }

  /** Completes when the node of an attempt that ended without a grant is gone, if it is known. */
  CompletableFuture<Void> cleanedUp() {
    return cleanedUp;
  }

  /** What it waits behind, null unless somebody else is known to hold the lock. */
  private synchronized @Nullable InFront inFront() {
    return inFront;
  }

  private synchronized @Nullable LockNode node() {
    return node;
  }

  void created(LockNode mine) {
    boolean listed;
    synchronized (this) {
      node = mine;
      listed = listingSent;
    }
    queue.line().join(mine);
    if (outcome.isDone()) {
      mine.passOn(false);
    } else if (mine.isLost()) {
      end(new Outcome.NodeGone(false));
    } else {
      if (revocation != null) {
        mine.watch(revocation);
      }
      LockNode neighbour = listed ? null : queue.line().inFrontOf(mine);
      if (listed) {
        evaluate();
      } else if (neighbour == null || !waitBehind(neighbour, mine)) {
        list(mine.handle());
      }
    }
  }

  private boolean waitBehind(LockNode neighbour, LockNode mine) {
    if (deadline.isOver()) {
      end(new Outcome.TimedOut(true));
      return true;
    }
    Neighbour wait = new Neighbour(this, neighbour);
    waitBehind(wait);
    boolean follows = neighbour.follow(wait, mine);
    if (!follows) {
      waitBehind((InFront) null);
    }
    return follows;
  }

  private synchronized void waitBehind(@Nullable InFront next) {
    inFront = next;
  }

  private void list(ZooKeeper handle) {
    handle.getChildren(
        queue.atServer(queue.lockPath()),
        false,
        (code, p, c, children) -> listed(Outcome.code(code), children),
        null);
  }

  private void listed(Code code, List<String> children) {
    if (LockQueue.isPassing(code)) {
      synchronized (this) {
        listAgain = true;
      }
    } else if (code != Code.OK && code != Code.NONODE) {
      end(Outcome.failed(code, queue.lockPath()));
    } else {
      synchronized (this) {
        // Without a parent there was nothing to list; the create makes it, and one more listing.
        listing = code == Code.OK ? children : List.of();
      }
      evaluate();
    }
  }

  /** Takes the place in the queue once both the node and a listing are there. */
  private void evaluate() {
    List<String> children;
    LockNode mine;
    boolean last;
    synchronized (this) {
      if (node == null || listing == null || outcome.isDone()) {
        return;
      }
      children = listing;
      mine = node;
      listing = null;
      // A listing that overtook the create does not have the node; one that follows it must.
      last = mustBeListed;
      mustBeListed = true;
    }
    if (mine.isLost()) {
      end(new Outcome.NodeGone(false));
      return;
    }
    QueuePlace place = QueuePlace.of(queue.kind(), ZKPaths.getNodeFromPath(mine.path()), children);
    if (place == null) {
      if (last) {
        end(new Outcome.NodeGone(false));
      } else {
        list(mine.handle());
      }
      return;
    }
    place.twins().forEach(twin -> queue.deleteTwin(twin, mine));
    String predecessor = place.predecessor();
    if (predecessor == null) {
      grant(mine);
    } else if (deadline.isOver()) {
      end(new Outcome.TimedOut(true));
    } else {
      waitBehind(predecessor, place, mine);
    }
  }

  private void waitBehind(String predecessor, QueuePlace place, LockNode mine) {
    String path = queue.childAtServer(predecessor);
    String second = place.second();
    PredecessorWatch watch = new PredecessorWatch(this, mine.handle(), path);
    synchronized (this) {
      if (inFront instanceof PredecessorWatch known && known.isOn(path)) {
        watch = known; // Only what is in front of it has changed.
      }
      inFront = watch;
    }
    watch.set(place.onlyPredecessor(), second == null ? null : queue.childAtServer(second));
  }

  /** Lists while there is time: the node in front of the one that it waits behind is gone. */
  void lookAhead(PredecessorWatch waiting) {
    LockNode mine = node();
    if (mine != null && inFront() == waiting && !outcome.isDone()) {
      list(mine.handle());
    }
  }

  /** Goes on when what it waited behind is gone; {@code atHead} if nothing else was in front. */
  void goneInFront(InFront gone, boolean atHead) {
    LockNode mine = node();
    synchronized (this) {
      if (inFront != gone || mine == null || outcome.isDone()) {
        return;
      }
      inFront = null;
    }
    if (atHead) {
      grant(mine);
    } else {
      list(mine.handle());
    }
  }

  boolean isOver() {
    return outcome.isDone();
  }

  @Override
  public void beat(long gapNanos) {
    LockNode mine = node();
    if (mine == null) {
      creation.lookAfter();
    } else if (mine.isLost()) {
      end(new Outcome.NodeGone(true));
    } else if (mine.handle().getState().isConnected()) {
      goOn(mine);
    }
  }

  private void goOn(LockNode mine) {
    boolean list;
    synchronized (this) {
      list = listAgain;
      listAgain = false;
    }
    InFront waiting = inFront();
    mine.lookAfterWatch();
    if (list) {
      list(mine.handle());
    } else if (waiting != null) {
      waiting.lookAfter();
    }
  }

  private void grant(LockNode mine) {
    if (mine.isLost()) {
      end(new Outcome.NodeGone(true));
      return;
    }
    mine.hold(); // From now on it is looked after, with no moment in between.
    if (outcome.complete(new Outcome.Granted(mine))) {
      Pulse.remove(this);
    } else if (!(outcome.join() instanceof Outcome.Granted)) {
      mine.neverHeld(); // It was given up, and that deletes the node.
    }
  }

  void end(Outcome why) {
    if (outcome.complete(why)) {
      abandon();
    }
  }

  private void abandon() {
    Pulse.remove(this);
    InFront waiting = inFront();
    if (waiting != null) {
      waiting.leave();
    }
    var unused = creation.abandon().whenComplete((v, e) -> cleanedUp.complete(null));
    LockNode mine = node();
    if (mine != null) {
      mine.passOn(false); // What the follower lists is sent behind the delete.
    }
  }
}
