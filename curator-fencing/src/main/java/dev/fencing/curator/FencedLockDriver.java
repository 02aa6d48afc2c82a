package dev.fencing.curator;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.WatcherRemoveCuratorFramework;
import org.apache.curator.framework.api.ACLBackgroundPathAndBytesable;
import org.apache.curator.framework.recipes.locks.PredicateResults;
import org.apache.curator.framework.recipes.locks.StandardLockInternalsDriver;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Creates lock nodes as Curator's own driver does and keeps what the fencing token is made of.
 *
 * <p>The node that a thread created last is kept until the thread takes it: Curator may create more
 * than one in a single acquire, and the last one is the one that is granted.
 */
final class FencedLockDriver extends StandardLockInternalsDriver {

  private static final System.Logger LOG = System.getLogger(FencedLockDriver.class.getName());

  private final String lockPath;
  final ConcurrentMap<Thread, LockNode> created = new ConcurrentHashMap<>();
  private volatile @Nullable WatcherRemoveCuratorFramework queueClient;

  FencedLockDriver(String lockPath) {
    this.lockPath = lockPath;
  }

  /** Returns the node of the calling thread's last attempt and forgets it. */
  @Nullable LockNode take() {
    return created.remove(Thread.currentThread());
  }

  /**
   * Forgets the watches that the queue of this driver has set. For a queue with one user only:
   * those of other waiters go as well.
   */
  void removeWatches() {
    WatcherRemoveCuratorFramework client = queueClient;
    if (client != null) {
      client.removeWatchers();
    }
  }

  @Override
  public String createsTheLock(
      CuratorFramework client, String path, byte @Nullable [] lockNodeBytes) throws Exception {
    if (client instanceof WatcherRemoveCuratorFramework watching) {
      queueClient = watching;
    }
    Stat stat = new Stat();
    ACLBackgroundPathAndBytesable<String> create =
        client
            .create()
            .storingStatIn(stat)
            .creatingParentContainersIfNeeded()
            .withProtection()
            .withMode(CreateMode.EPHEMERAL_SEQUENTIAL);
    String node =
        lockNodeBytes == null ? create.forPath(path) : create.forPath(path, lockNodeBytes);
    try {
      requireOrderedSequence(node, ZKPaths.getNodeFromPath(path));
      created.put(Thread.currentThread(), identify(client, node, stat));
      return node;
    } catch (Exception e) {
      abandon(client, node, e);
      throw e;
    }
  }

  @Override
  public PredicateResults getsTheLock(
      CuratorFramework client, List<String> children, String sequenceNodeName, int maxLeases)
      throws Exception {
    LockNode node = created.get(Thread.currentThread());
    if (node == null || node.isLost()) {
      // The session was replaced since the create, though the server may still list the node. A
      // grant needs the same session before and after the listing. Curator deletes the node and
      // tries again, as its retry policy says.
      throw new KeeperException.NoNodeException(ZKPaths.makePath(lockPath, sequenceNodeName));
    }
    deleteTwins(client, children, sequenceNodeName);
    return super.getsTheLock(client, children, sequenceNodeName, maxLeases);
  }

  private LockNode identify(CuratorFramework client, String node, Stat created) throws Exception {
    Stat stat = created;
    if (stat.getCzxid() == 0) {
      // The reply was lost and Curator found the node again by its name, which fills in no Stat.
      stat = client.checkExists().forPath(node);
      if (stat == null) {
        throw new KeeperException.NoNodeException(node);
      }
    }
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    if (handle == null) {
      throw new IllegalStateException(
          "the Curator client was closed while it acquired the lock " + lockPath);
    }
    return new LockNode(lockPath, node, stat.getCzxid(), stat.getEphemeralOwner(), handle);
  }

  /**
   * Refuses a node of a used-up sequence counter.
   *
   * <p>ZooKeeper's counter is a signed int. At its maximum the server hands out the same number
   * again and again, or negative ones, which sort before all others: lock order would no longer be
   * token order, and two contenders could each see themselves first.
   */
  private void requireOrderedSequence(String node, String prefix) {
    int sequence = Integer.parseInt(node.substring(node.lastIndexOf(prefix) + prefix.length()));
    if (sequence < 0 || sequence == Integer.MAX_VALUE) {
      throw new TokenOrderException(
          "the lock %s was not granted: the sequence counter of its node is used up (%d), so lock"
                  .formatted(lockPath, sequence)
              + " order is no longer token order; stop all contenders, delete the node "
              + lockPath
              + " when it has no children (the counter then starts again at 0, tokens go on"
              + " rising), and acquire again");
    }
  }

  /**
   * Deletes other nodes of this same attempt, which would otherwise block its thread or, after it,
   * everybody else for as long as the session lives.
   *
   * <p>They are there when a create whose reply was lost is sent again because the listing that was
   * searched for it came from a server that lagged behind, or because the session was replaced. The
   * name carries an id that Curator makes afresh for every attempt, so nothing else can match.
   */
  private void deleteTwins(CuratorFramework client, List<String> children, String ours)
      throws Exception {
    String attempt = ours.substring(0, ours.lastIndexOf('-') + 1);
    for (String child : children) {
      if (child.startsWith(attempt) && !child.equals(ours)) {
        LOG.log(
            System.Logger.Level.INFO,
            "Deleting {0}/{1}, left over from an attempt that went on as {2}",
            lockPath,
            child,
            ours);
        LockNode.deleteInBackground(client, ZKPaths.makePath(lockPath, child));
      }
    }
  }

  /**
   * Deletes a node that nobody else knows of; in the background, as the thread may be interrupted.
   */
  private static void abandon(CuratorFramework client, String node, Exception cause) {
    try {
      LockNode.deleteInBackground(client, node);
    } catch (Exception e) {
      cause.addSuppressed(e); // The client is closed, and its session takes the node with it.
    }
  }
}
