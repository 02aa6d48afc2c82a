package dev.fencing.curator;

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
final class NodeCreation implements Pulse.Listener, NodeSearch.Seeker {

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

  /** Completes with the answer to the create, and when a node that it brought too late is gone. */
  private final CompletableFuture<Void> settled = new CompletableFuture<>();

  // Guarded by this.
  private @Nullable String path;
  private boolean abandoned;
  private boolean over;

  NodeCreation(LockQueue queue, Contender contender) {
    this.queue = queue;
    this.contender = contender;
  }

  /** Sends the create, with the client's default data if there is none. */
  void send(byte @Nullable [] data) throws Exception {
    try {
      request = queue.createRequest(id, data);
      busy.set(true);
      create();
    } catch (Exception e) {
      over();
      throw e;
    }
  }

  /**
   * Deletes the node. To be called once.
   *
   * @return completes when it is gone, or when a lost connection has left open whether there is one
   */
  CompletableFuture<Void> abandon() {
    String made;
    synchronized (this) {
      abandoned = true;
      made = path;
      if (made == null && !over) {
        Pulse.add(this); // For an answer that never comes.
      }
    }
    return made == null ? settled : delete(made);
  }

  /** Nothing is looked after any more: the node is known, or there will be none. */
  private void over() {
    synchronized (this) {
      over = true;
    }
    Pulse.remove(this);
    settled.complete(null);
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
      found(ZKPaths.getNodeFromPath(name), stat);
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
                if (isAbandoned()) {
                  over();
                } else {
                  create();
                }
              } catch (KeeperException e) {
                failed(e.code());
              } catch (Exception e) {
                over();
                contender.end(new Outcome.Failed(e));
              }
            });
  }

  @Override
  public void found(String name, Stat stat) {
    String made = ZKPaths.makePath(queue.lockPath(), name);
    boolean known;
    boolean unwanted;
    synchronized (this) {
      known = made.equals(path);
      unwanted = abandoned || path != null;
      path = path == null ? made : path;
    }
    Pulse.remove(this);
    if (known) {
      return;
    }
    if (unwanted) {
      var unused = delete(made).whenComplete((v, e) -> over());
      return;
    }
    over();
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

  @Override
  public void failed(Code code) {
    if (!LockQueue.isPassing(code)) {
      over();
      contender.end(Outcome.failed(code, queue.lockPath()));
      return;
    }
    settled.complete(null);
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
      over(); // If there is a node, the end of its session deletes it.
      contender.end(Outcome.failed(Code.CONNECTIONLOSS, queue.lockPath()));
    } else if (queue.client().getZookeeperClient().isConnected()) {
      if (busy.compareAndSet(false, true)) {
        look();
      }
    } else if (System.nanoTime() - tryEnds > 0 && busy.compareAndSet(false, true)) {
      failed(Code.CONNECTIONLOSS);
    }
  }

  private void look() {
    tried(() -> NodeSearch.send(queue, id, this));
  }

  @Override
  public void notThere(boolean wasListed) {
    if (wasListed) {
      over();
      contender.end(new Outcome.NodeGone(false));
    } else if (isAbandoned()) {
      over();
    } else {
      tried(this::create);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private void tried(Step step) {
    try {
      step.run();
    } catch (Exception e) {
      settled.complete(null);
      contender.end(new Outcome.Failed(e)); // The client is closed, or a retry policy fails.
    }
  }
}
