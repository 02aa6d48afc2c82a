package dev.fencing.curator;

import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.api.ACLBackgroundPathAndBytesable;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The create of a contender's node.
 *
 * <p>Finds out which node it has made, also when the reply was lost, and deletes it when nobody
 * wants it any more, also when the reply comes later than that. Left to Curator, because only its
 * builder knows the client's ACLs. Thread-safe; does not block.
 */
final class NodeCreation {

  private final LockQueue queue;
  private final Contender contender;

  // Guarded by this.
  private @Nullable String path;
  private boolean abandoned;

  NodeCreation(LockQueue queue, Contender contender) {
    this.queue = queue;
    this.contender = contender;
  }

  void send(byte @Nullable [] data) throws Exception {
    ACLBackgroundPathAndBytesable<String> create =
        queue
            .client()
            .create()
            .creatingParentContainersIfNeeded()
            .withProtection()
            .withMode(queue.createMode());
    if (data == null) {
      create.inBackground((c, event) -> answered(event)).forPath(queue.nodePath());
    } else {
      create.inBackground((c, event) -> answered(event)).forPath(queue.nodePath(), data);
    }
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

  private CompletableFuture<Void> delete(String made) {
    return Deletion.of(queue, queue.atServer(made));
  }

  private void answered(CuratorEvent event) {
    if (event.getResultCode() != Code.OK.intValue()) {
      contender.end(Outcome.failed(Code.get(event.getResultCode()), queue.lockPath()));
      return;
    }
    String made = event.getName();
    boolean tooLate;
    synchronized (this) {
      path = made;
      tooLate = abandoned;
    }
    Stat stat = event.getStat();
    if (tooLate) {
      var unused = delete(made);
    } else if (stat != null && stat.getCzxid() > 0) {
      identified(made, stat);
    } else {
      // The reply was lost and Curator found the node again by its name, which fills in no Stat.
      try {
        queue.client().checkExists().inBackground((c, read) -> read(made, read)).forPath(made);
      } catch (Exception e) {
        contender.end(new Outcome.Failed(e));
      }
    }
  }

  private void read(String made, CuratorEvent event) {
    Stat stat = event.getStat();
    if (event.getResultCode() == Code.OK.intValue() && stat != null) {
      identified(made, stat);
    } else if (event.getResultCode() == Code.NONODE.intValue()) {
      contender.end(new Outcome.NodeGone(false));
    } else {
      contender.end(Outcome.failed(Code.get(event.getResultCode()), made));
    }
  }

  private void identified(String made, Stat stat) {
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
}
