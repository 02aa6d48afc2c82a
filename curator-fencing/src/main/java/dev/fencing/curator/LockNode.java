package dev.fencing.curator;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** The lock node of one acquisition, and what this process knows of its life. Thread-safe. */
final class LockNode implements Pulse.Listener {

  static final String DELETED = "somebody else has deleted its node";

  private final LockQueue queue;
  private final String path;
  private final int sequence;
  private final long czxid;
  private final long session;
  private final ZooKeeper handle;
  private final long sessionTimeoutNanos;
  private final LeaseState state = new LeaseState(Callbacks.users());
  private volatile String why = "";

  // Guarded by this.
  private @Nullable OwnNodeWatch watch;
  private @Nullable Neighbour next;
  private boolean leaving;

  /**
   * @param path with the namespace left out, as Curator takes it
   * @param session the node's ephemeralOwner
   * @param handle the ZooKeeper handle that Curator uses now; if it is not one of {@code session},
   *     the node is lost from the start
   */
  LockNode(LockQueue queue, String path, long czxid, long session, ZooKeeper handle) {
    if (czxid <= 0) {
      throw new IllegalArgumentException("a czxid is greater than 0, this one is " + czxid);
    }
    this.queue = queue;
    this.path = path;
    this.sequence = queue.kind().sequence(queue.lockPath(), path);
    this.czxid = czxid;
    this.session = session;
    this.handle = handle;
    this.sessionTimeoutNanos = TimeUnit.MILLISECONDS.toNanos(handle.getSessionTimeout());
  }

  LockQueue queue() {
    return queue;
  }

  String path() {
    return path;
  }

  int sequence() {
    return sequence;
  }

  long token() {
    return czxid;
  }

  ZooKeeper handle() {
    return handle;
  }

  LeaseState state() {
    return state;
  }

  /** Whether the session that owns the node is known to have ended. */
  boolean hasSessionEnded() {
    // The state first: it is volatile and written after the id, which is not volatile.
    return !handle.getState().isAlive() || handle.getSessionId() != session;
  }

  /**
   * Looks whether the hold is known to be lost. No I/O.
   *
   * <p>The session is asked of the handle and not of Curator's connection state, for three reasons:
   * the handle is closed before Curator reports the LOST of its session, so this is not later; it
   * needs no event, so a blocked event thread hides nothing and no listener can leak or race with a
   * grant; and a LOST that is delivered late, when a new session exists already, cannot be taken
   * for the end of the new one. The session id is compared because a server may hand a reconnecting
   * client a new session without an Expired event. A handle that is merely disconnected is alive
   * and keeps its id. That this process has not run for longer than the session lasts is known
   * before the handle knows it.
   */
  boolean isLost() {
    if (state.isLive()) {
      if (hasSessionEnded()) {
        lose("its ZooKeeper session 0x%x has ended".formatted(session));
      } else {
        loseIfHeldUp(Pulse.nanosSinceLastBeat());
      }
    }
    return state.isLost();
  }

  private void loseIfHeldUp(long gapNanos) {
    if (gapNanos > sessionTimeoutNanos) {
      lose(
          "this process did not run for %d ms, and its ZooKeeper session 0x%x lasts %d ms"
              .formatted(
                  TimeUnit.NANOSECONDS.toMillis(gapNanos),
                  session,
                  TimeUnit.NANOSECONDS.toMillis(sessionTimeoutNanos)));
    }
  }

  void lose(String why) {
    if (state.isLive()) {
      this.why = why; // Whatever reason comes last before the end is a true one.
    }
    if (state.lose()) {
      Pulse.remove(this);
      var unused = queue.deleteInBackground(this); // Nobody needs it, and others wait for it.
    }
  }

  /** Why it is lost, for messages; empty if it is not. */
  String whyLost() {
    return why;
  }

  void requireNotLost() {
    if (isLost() && queue.kind() == NodeKind.READ) {
      throw new LeaseLostException(
          queue.lockPath(),
          0,
          "the read lock of %s is lost: %s, and a writer may be at work; stop, release it, acquire"
                  .formatted(queue.lockPath(), why)
              + " it again and read again");
    } else if (isLost()) {
      throw new LeaseLostException(
          queue.lockPath(),
          czxid,
          "the lock %s is lost (token %d): %s, and another holder"
                  .formatted(queue.lockPath(), czxid, why)
              + " may be at work; stop what was done under this token, release it and acquire"
              + " again, which gives a new token");
    }
  }

  /** Begins to look after a hold: a loss is noticed within a beat, and its node is deleted. */
  void hold() {
    Pulse.add(this); // If it is lost already, the next beat sees to it.
  }

  /** Takes {@link #hold} back: the grant came too late, and the node is deleted already. */
  void neverHeld() {
    Pulse.remove(this);
  }

  /** Ends a hold that is not lost; returns whether it was this call that did. */
  boolean close() {
    if (isLost() || !state.close()) {
      return false;
    }
    Pulse.remove(this);
    return true;
  }

  @Override
  public void beat(long gapNanos) {
    if (state.isLive()) {
      loseIfHeldUp(gapNanos);
    }
    if (isLost() || state.isClosed()) {
      Pulse.remove(this);
    } else if (handle.getState().isConnected()) {
      lookAfterWatch();
    }
  }

  /** Asks ZooKeeper whether the node is there; completes on the event thread. */
  CompletableFuture<Boolean> exists() {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    handle.exists(
        queue.atServer(path),
        false,
        (code, p, c, stat) -> {
          if (code == Code.NONODE.intValue()) {
            lose(DELETED);
          }
          answer.complete(code == Code.OK.intValue());
        },
        null);
    return answer;
  }

  /**
   * Watches the node itself, once; does not wait for the answer.
   *
   * @param revocation what to run when somebody asks for the lock, null if nobody may
   */
  void watch(@Nullable Runnable revocation) {
    synchronized (this) {
      if (watch == null) {
        watch = new OwnNodeWatch(this, revocation);
      }
    }
    lookAfterWatch();
  }

  /** Sets the watch again if a lost connection has swallowed it. */
  void lookAfterWatch() {
    OwnNodeWatch own;
    synchronized (this) {
      own = watch;
    }
    if (own != null) {
      own.set();
    }
  }

  /**
   * Lets the contender right behind wait for this node without a watch.
   *
   * @return false if it cannot: the node is about to go, is of another session, or has a follower
   */
  synchronized boolean follow(Neighbour follower, LockNode its) {
    if (leaving || next != null || its.session != session) {
      return false;
    }
    next = follower;
    return true;
  }

  /** Returns whether it had followed. */
  synchronized boolean unfollow(Neighbour follower) {
    boolean followed = next == follower;
    if (followed) {
      next = null;
    }
    return followed;
  }

  /** Takes no more followers: the delete of the node is about to be sent. */
  void leaving() {
    synchronized (this) {
      leaving = true;
    }
    queue.line().leaving(this);
  }

  /**
   * Tells the follower that this node is no longer in front of it.
   *
   * @param heldLast whether this held the lock until now: its own delete has removed its node
   */
  void passOn(boolean heldLast) {
    Neighbour follower;
    synchronized (this) {
      leaving = true;
      follower = next;
      next = null;
    }
    queue.line().left(this);
    if (follower != null) {
      follower.gone(heldLast);
    }
  }

  @Override
  public String toString() {
    return "%s (czxid %d, session 0x%x)".formatted(path, czxid, session);
  }
}
