package dev.fencing.curator;

import static java.lang.System.Logger.Level.INFO;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLPathAndBytesable;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.jspecify.annotations.Nullable;

/** The queue in front of one lock: everybody who waits has a node, and watches the one in front. */
final class LockQueue {

  private static final System.Logger LOG = System.getLogger(LockQueue.class.getName());

  /** How much longer than its bound a timed acquire waits for answers that are on their way. */
  private static final Duration GRACE = Duration.ofMillis(900);

  private final CuratorFramework client;
  private final String lockPath;
  private final NodeKind kind;
  private final String nodePath;
  private final Supplier<byte @Nullable []> nodeData;
  private final @Nullable LockNode place;
  private final LocalLine line;

  /**
   * @param place the node whose place in the queue is to be taken; null: to queue behind everybody
   */
  LockQueue(
      CuratorFramework client,
      String lockPath,
      NodeKind kind,
      Supplier<byte @Nullable []> nodeData,
      @Nullable LockNode place) {
    this.client = client;
    this.lockPath = lockPath;
    this.kind = kind;
    String number = place == null ? "" : kind.order(place.path());
    this.nodePath = ZKPaths.makePath(lockPath, kind.prefix() + number);
    this.nodeData = nodeData;
    this.place = place;
    this.line = new LocalLine(kind.hasNeighbours());
  }

  /**
   * Returns the same queue for the thread that holds the lock by a write node: it enters at the
   * place of that node, as in Curator, so that nobody behind it passes when the write node goes.
   */
  LockQueue inThePlaceOf(LockNode write) {
    write.requireNotLost();
    return new LockQueue(client, lockPath, kind, nodeData, write);
  }

  /**
   * Checks that the place was still there when a node was created at it, in a session that lives:
   * the session of the place is the same then. In any other the writer behind has the lock.
   */
  void requirePlace() {
    if (place != null) {
      place.requireNotLost();
    }
  }

  NodeKind kind() {
    return kind;
  }

  CreateMode createMode() {
    return place == null ? CreateMode.EPHEMERAL_SEQUENTIAL : CreateMode.EPHEMERAL;
  }

  CuratorFramework client() {
    return client;
  }

  String lockPath() {
    return lockPath;
  }

  /** What Curator makes the name of a lock node of. */
  String nodePath() {
    return nodePath;
  }

  LocalLine line() {
    return line;
  }

  /** Returns a path as the server knows it. */
  String atServer(String path) {
    return ZKPaths.fixForNamespace(client.getNamespace(), path);
  }

  String childAtServer(String child) {
    return atServer(ZKPaths.makePath(lockPath, child));
  }

  /** The handle that Curator uses now, connected or not. */
  ZooKeeper handle() throws Exception {
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    if (handle == null) {
      throw new IllegalStateException("the Curator client of the lock " + lockPath + " is closed");
    }
    return handle;
  }

  /**
   * Returns what Curator would send to create a node, with the client's ACLs.
   *
   * @param id what the name of the node begins with
   * @param data null: the client's default data
   */
  CreateRequest createRequest(String id, byte @Nullable [] data) throws Exception {
    String node = childAtServer(id + ZKPaths.getNodeFromPath(nodePath));
    ACLPathAndBytesable<CuratorOp> create =
        client.usingNamespace(null).transactionOp().create().withMode(createMode());
    CuratorOp op = data == null ? create.forPath(node) : create.forPath(node, data);
    return (CreateRequest) op.get().toRequestRecord();
  }

  /** Whether an answer says nothing but that the connection or the session went. */
  static boolean isPassing(Code code) {
    return switch (code) {
      case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED -> true;
      default -> false;
    };
  }

  /**
   * Waits for the lock.
   *
   * @param revocation what to run when somebody asks for the lock, null if nobody may
   * @return the node that holds it, or null if the time was up while somebody else held it
   */
  @Nullable LockNode enter(Deadline deadline, @Nullable Runnable revocation) throws Exception {
    Callbacks.requireMayWait(lockPath);
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedException("interrupted before the lock " + lockPath + " was asked for");
    }
    int fruitless = 0;
    while (true) {
      Contender contender = contend(deadline, revocation);
      Outcome outcome = await(contender, deadline);
      if (outcome instanceof Outcome.Granted granted) {
        return granted.node();
      }
      if (outcome instanceof Outcome.TimedOut timedOut) {
        if (timedOut.busy()) {
          return null;
        }
        throw new NoAnswerException(this, deadline);
      }
      if (outcome instanceof Outcome.Failed failed) {
        throw whyFailed(failed);
      }
      fruitless = ((Outcome.NodeGone) outcome).hadPlaceInQueue() ? 0 : fruitless + 1;
      if (fruitless > 0 && !mayRetry(fruitless - 1, deadline)) {
        if (Thread.currentThread().isInterrupted()) { // As retry policies leave it.
          throw new InterruptedException("interrupted while trying again for " + lockPath);
        }
        throw nodeGone();
      }
    }
  }

  /** Says that the client is closed, if it is, and not what became of a request because of that. */
  Exception whyFailed(Outcome.Failed failed) {
    return client.getState() == CuratorFrameworkState.STOPPED
        ? new IllegalStateException(
            "the Curator client of the lock " + lockPath + " is closed", failed.cause())
        : failed.cause();
  }

  Contender contend(Deadline deadline, @Nullable Runnable revocation) {
    Contender contender = new Contender(this, deadline, revocation);
    // As Curator, which keeps the data of a revocable node for the request.
    contender.start(revocation == null ? nodeData.get() : new byte[0]);
    return contender;
  }

  /** Whether another attempt may follow one whose node went before it had a place; may sleep. */
  boolean mayRetry(int retry, Deadline deadline) {
    return client
        .getZookeeperClient()
        .getRetryPolicy()
        .allowRetry(
            retry,
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - deadline.start()),
            (time, unit) ->
                TimeUnit.NANOSECONDS.sleep(
                    deadline.isBounded()
                        ? Math.min(unit.toNanos(time), Math.max(0, deadline.left()))
                        : unit.toNanos(time)));
  }

  KeeperException nodeGone() {
    return new KeeperException.NoNodeException(nodePath);
  }

  private Outcome await(Contender contender, Deadline deadline)
      throws InterruptedException, ExecutionException {
    try {
      Outcome outcome =
          deadline.isBounded()
              ? await(contender.outcome(), contender, deadline)
              : contender.outcome().get();
      if (outcome instanceof Outcome.TimedOut || outcome instanceof Outcome.Failed) {
        // The promise is that no node is left; but not to whoever has waited long enough for it.
        awaitQuietly(
            contender.cleanedUp(),
            deadline.isBounded() ? deadline.plus(GRACE).left() : GRACE.toNanos());
      }
      return outcome;
    } catch (InterruptedException e) {
      contender.giveUp();
      if (contender.outcome().join() instanceof Outcome.Granted granted && granted.node().close()) {
        var unused = deleteInBackground(granted.node());
      }
      Thread.currentThread().interrupt(); // As Curator leaves it.
      throw e;
    }
  }

  private static Outcome await(
      CompletableFuture<Outcome> outcome, Contender contender, Deadline deadline)
      throws InterruptedException, ExecutionException {
    if (!awaitQuietly(outcome, deadline.left())) {
      contender.giveUpIfWaiting();
      if (!awaitQuietly(outcome, deadline.plus(GRACE).left())) {
        contender.giveUp();
      }
    }
    return outcome.get();
  }

  /** Returns whether it has ended. */
  private static boolean awaitQuietly(CompletableFuture<?> future, long nanos)
      throws InterruptedException, ExecutionException {
    try {
      future.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /**
   * Deletes the node of a closed hold, and waits until it is gone.
   *
   * @throws Exception what Curator throws after its retries, or InterruptedException; the delete
   *     goes on in the background then
   */
  void delete(LockNode node) throws Exception {
    node.leaving();
    boolean deleted = true;
    try {
      client.delete().forPath(node.path());
    } catch (KeeperException.NoNodeException e) {
      deleted = false; // Somebody else has deleted it, and who is in front now is not known.
    } catch (Exception e) {
      var unused = deleteInBackground(node);
      throw e;
    }
    node.passOn(deleted);
  }

  /** Deletes the node of a hold in the background. Does not block. */
  CompletableFuture<Boolean> deleteInBackground(LockNode node) {
    node.leaving();
    return Deletion.of(this, atServer(node.path()))
        .whenComplete((deleted, e) -> node.passOn(e == null && deleted && node.state().isClosed()));
  }

  /**
   * Deletes another node of the same attempt, which would otherwise block everybody for as long as
   * the session lives: a create whose reply was lost was sent again.
   */
  void deleteTwin(String twin, LockNode mine) {
    LOG.log(
        INFO,
        "Deleting {0}/{1}, left over from an attempt that went on as {2}",
        lockPath,
        twin,
        mine);
    var unused = Deletion.of(this, childAtServer(twin));
  }
}
