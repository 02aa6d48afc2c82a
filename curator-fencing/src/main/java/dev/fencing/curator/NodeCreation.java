package dev.fencing.curator;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CreateRequest;
import org.jspecify.annotations.Nullable;

/**
 * The create of a contender's node.
 *
 * <p>Its name begins with an id of this attempt, as Curator's protected mode has it. When the reply
 * is lost, the node is looked for by that id as soon as there is a connection, and created again
 * only if it is not there. When nobody wants it any more it is deleted, also when it becomes known
 * later than that.
 *
 * <p>While there is no connection it is as patient as Curator is with a create: the connection
 * timeout for each try, and as many tries as the client's retry policy allows. But unlike Curator
 * it never sleeps through the return of the connection. Thread-safe; does not block.
 */
final class NodeCreation implements Pulse.Listener {

  /** They may be removed again in between, but a chroot that is not there never comes. */
  private static final int MOST_PARENTS = 5;

  private final LockQueue queue;
  private final Contender contender;
  private final String id = "_c_" + UUID.randomUUID() + "-";
  private final long start = System.nanoTime();

  /** A request is under way, or a decision whether there will be another. */
  private final AtomicBoolean busy = new AtomicBoolean();

  private volatile @Nullable CreateRequest request;
  private volatile @Nullable ZooKeeper sentTo;
  private volatile long tryEnds;
  private final AtomicInteger creates = new AtomicInteger();
  private int retries; // While busy, as the next one.
  private int parents;
  private int deadBeats; // On the pulse.

  // Guarded by this.
  private @Nullable String path;
  private boolean abandoned;

  NodeCreation(LockQueue queue, Contender contender) {
    this.queue = queue;
    this.contender = contender;
  }

  /** Sends the create, with the client's default data if there is none. */
  void send(byte @Nullable [] data) throws Exception {
    request = queue.createRequest(id, data);
    busy.set(true);
    create();
  }

  /**
   * Deletes the node. To be called once.
   *
   * @return completes when it is gone; at once if it is not known yet
   */
  CompletableFuture<Void> abandon() {
    String made;
    synchronized (this) {
      abandoned = true;
      made = path;
    }
    return made == null ? CompletableFuture.completedFuture(null) : delete(made);
  }

  private synchronized boolean isAbandoned() {
    return abandoned;
  }

  private CompletableFuture<Void> delete(String made) {
    return Deletion.of(queue, queue.atServer(made)).thenAccept(deleted -> lookForTwins());
  }

  /** A create that was sent twice may have made two nodes, and nobody else deletes the other. */
  private void lookForTwins() {
    if (creates.get() > 1) {
      look();
    }
  }

  private void create() throws Exception {
    CreateRequest create = request;
    ZooKeeper handle = queue.handle();
    sentTo = handle;
    creates.incrementAndGet();
    if (create != null) {
      handle.create(
          create.getPath(),
          create.getData(),
          create.getAcl(),
          queue.createMode(),
          (code, p, c, name, stat) -> created(Outcome.code(code), name, stat),
          null);
    }
  }

  private void created(Code code, @Nullable String name, @Nullable Stat stat) {
    queue.line().answered(contender);
    if (code == Code.OK && name != null && stat != null) {
      made(ZKPaths.getNodeFromPath(name), stat);
    } else if (code == Code.NONODE && !isAbandoned() && parents++ < MOST_PARENTS) {
      createParents();
    } else if (code == Code.NODEEXISTS) {
      look(); // An earlier create of this attempt was applied, which has no sequence number.
    } else {
      failed(code);
    }
  }

  /** By Curator; not in its background, where old versions swallow that a chroot is missing. */
  private void createParents() {
    Callbacks.chores()
        .execute(
            () -> {
              try {
                var parents = queue.client().checkExists().creatingParentContainersIfNeeded();
                parents.forPath(queue.nodePath());
                if (!isAbandoned()) {
                  create();
                }
              } catch (KeeperException e) {
                failed(e.code());
              } catch (Exception e) {
                contender.end(new Outcome.Failed(e));
              }
            });
  }

  private void made(String name, Stat stat) {
    Pulse.remove(this);
    String made = ZKPaths.makePath(queue.lockPath(), name);
    boolean unwanted;
    synchronized (this) {
      if (made.equals(path)) {
        return;
      }
      unwanted = abandoned || path != null;
      path = path == null ? made : path;
    }
    if (unwanted) {
      var unused = delete(made);
      return;
    }
    LockNode node;
    try {
      queue.requirePlace();
      node = new LockNode(queue, made, stat.getCzxid(), stat.getEphemeralOwner(), queue.handle());
    } catch (Exception e) {
      contender.end(new Outcome.Failed(e));
      return;
    }
    contender.created(node);
  }

  private void failed(Code code) {
    if (!LockQueue.isPassing(code)) {
      Pulse.remove(this);
      contender.end(Outcome.failed(code, queue.lockPath()));
      return;
    }
    // On another thread: a retry policy and Curator's check of its connection may block.
    Callbacks.chores()
        .execute(
            () -> {
              try {
                tried(() -> countTry(code));
              } finally {
                Pulse.add(this); // Whatever became of it, there may be a node.
                busy.set(false);
              }
            });
  }

  private void countTry(Code code) throws Exception {
    long[] pause = {0};
    boolean again =
        isAbandoned()
            || queue
                .client()
                .getZookeeperClient()
                .getRetryPolicy()
                .allowRetry(
                    retries++,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                    (time, unit) -> pause[0] = unit.toNanos(time));
    long connecting =
        TimeUnit.MILLISECONDS.toNanos(queue.client().getZookeeperClient().getConnectionTimeoutMs());
    tryEnds = System.nanoTime() + pause[0] + connecting;
    if (again) {
      queue.handle(); // Which has Curator look after its connection.
    } else {
      contender.end(Outcome.failed(code, queue.lockPath()));
    }
  }

  /**
   * Called with every beat until there is an answer. ZooKeeper's client may swallow one that meets
   * the end of its event thread.
   */
  void lookAfter() {
    ZooKeeper handle = sentTo;
    boolean dead = busy.get() && handle != null && !handle.getState().isAlive();
    deadBeats = dead ? deadBeats + 1 : 0;
    if (deadBeats > Pulse.PATIENT_BEATS) {
      deadBeats = 0;
      queue.line().answered(contender);
      failed(Code.SESSIONEXPIRED);
    }
  }

  @Override
  public void beat(long gapNanos) {
    ZooKeeper handle = sentTo;
    if (queue.client().getState() != CuratorFrameworkState.STARTED
        || (isAbandoned() && handle != null && !handle.getState().isAlive())) {
      Pulse.remove(this); // If there is a node, the end of its session deletes it.
      contender.end(Outcome.failed(Code.CONNECTIONLOSS, queue.lockPath()));
    } else if (queue.client().getZookeeperClient().isConnected()) {
      if (busy.compareAndSet(false, true)) {
        look();
      }
    } else if (System.nanoTime() - tryEnds > 0 && busy.compareAndSet(false, true)) {
      failed(Code.CONNECTIONLOSS);
    }
  }

  /** Looks for the node among the children, on a server that has caught up. */
  private void look() {
    tried(
        () -> {
          ZooKeeper handle = queue.handle();
          String parent = queue.atServer(queue.lockPath());
          handle.sync(parent, (code, p, c) -> {}, null);
          handle.getChildren(
              parent,
              false,
              (code, p, c, names) -> listed(Outcome.code(code), names, handle),
              null);
        });
  }

  private void listed(Code code, @Nullable List<String> names, ZooKeeper handle) {
    if (code != Code.OK && code != Code.NONODE) {
      failed(code);
      return;
    }
    String found =
        names == null
            ? null
            : names.stream().filter(n -> n.startsWith(id)).findFirst().orElse(null);
    if (found != null) {
      String node = queue.childAtServer(found);
      handle.exists(
          node, false, (answer, p, c, stat) -> read(Outcome.code(answer), found, stat), null);
    } else if (isAbandoned()) {
      Pulse.remove(this);
    } else {
      tried(this::create);
    }
  }

  private void read(Code code, String name, @Nullable Stat stat) {
    if (code == Code.OK && stat != null) {
      made(name, stat);
    } else if (code == Code.NONODE) {
      Pulse.remove(this);
      contender.end(new Outcome.NodeGone(false));
    } else {
      failed(code);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private void tried(Step step) {
    try {
      step.run();
    } catch (Exception e) {
      contender.end(new Outcome.Failed(e)); // The client is closed, or a retry policy fails.
    }
  }
}
