package dev.fencing.curator;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The delete of one lock node in the background, sent again until ZooKeeper has answered it.
 *
 * <p>Not left to Curator's own background delete, which after an outage sleeps for as long as the
 * retry policy says, with everybody waiting behind the node. Does not block. Ends with the client.
 */
final class Deletion implements Pulse.Listener {

  private static final System.Logger LOG = System.getLogger(Deletion.class.getName());

  private final LockQueue queue;
  private final String path;
  private final CompletableFuture<Boolean> answered = new CompletableFuture<>();
  private final AtomicBoolean inFlight = new AtomicBoolean();
  private volatile @Nullable ZooKeeper sentTo;
  private final AtomicInteger disconnected = new AtomicInteger();
  private int beats; // In flight; on the pulse.

  private Deletion(LockQueue queue, String path) {
    this.queue = queue;
    this.path = path;
  }

  /**
   * Sends the delete.
   *
   * @param path the node as the server knows it
   * @return completes when the node is gone, on ZooKeeper's event thread: with false if it was gone
   *     before; exceptionally if ZooKeeper refused, or the client was closed, and its session takes
   *     the node with it
   */
  static CompletableFuture<Boolean> of(LockQueue queue, String path) {
    Deletion deletion = new Deletion(queue, path);
    Pulse.add(deletion);
    deletion.send();
    return deletion.answered;
  }

  private void send() {
    if (!inFlight.compareAndSet(false, true)) {
      return;
    }
    try {
      if (isClientOpen() && !queue.client().getZookeeperClient().isConnected()) {
        // Not the handle: Curator may be about to replace it, and that blocks.
        if (disconnected.incrementAndGet() % Pulse.PATIENT_BEATS == 0) {
          Callbacks.chores().execute(this::nudge);
        }
        again();
        return;
      }
      ZooKeeper handle = queue.handle();
      sentTo = handle;
      handle.delete(path, -1, (code, p, context) -> answered(Outcome.code(code)), null);
    } catch (Exception e) {
      if (!isClientOpen()) {
        end(e); // Its session has ended, or is about to.
      } else {
        again();
      }
    }
  }

  /** Has Curator look after its connection, which it does when it is asked for the handle. */
  private void nudge() {
    try {
      queue.handle();
    } catch (Exception e) {
      LOG.log(DEBUG, "No connection to delete " + path, e);
    }
  }

  private void answered(Code code) {
    switch (code) {
      case OK, NONODE -> {
        Pulse.remove(this);
        answered.complete(code == Code.OK);
      }
      case NOAUTH, NOTEMPTY, BADARGUMENTS, UNIMPLEMENTED -> {
        LOG.log(WARNING, "The lock node {0} cannot be deleted: {1}", path, code);
        end(KeeperException.create(code, path));
      }
      default -> again();
    }
  }

  private void again() {
    inFlight.set(false); // The next beat sends it.
  }

  private void end(Exception why) {
    LOG.log(DEBUG, "Nothing deletes " + path + " but the end of its session", why);
    Pulse.remove(this);
    answered.completeExceptionally(why);
  }

  @Override
  public void beat(long gapNanos) {
    ZooKeeper handle = sentTo;
    boolean dead = handle != null && !handle.getState().isAlive();
    beats = inFlight.get() ? beats + 1 : 0;
    if (beats > (dead ? Pulse.PATIENT_BEATS : 3 * Pulse.PATIENT_BEATS)) {
      beats = 0;
      again(); // To ask twice does no harm.
    }
    send();
  }

  private boolean isClientOpen() {
    return queue.client().getState() == CuratorFrameworkState.STARTED;
  }

  @Override
  public String toString() {
    return "Deletion[" + path + "]";
  }
}
