package dev.fencing.examples.job.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.data.Stat;

/** The nodes of an election in ZooKeeper, seen from outside. */
final class ElectionNodes implements AutoCloseable {

  private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);

  /**
   * The node of a contender.
   *
   * @param path its path
   * @param czxid the transaction that created it: the contender's fencing token
   */
  record Node(String path, long czxid) {}

  private final CuratorFramework client;
  private final String path;

  private ElectionNodes(CuratorFramework client, String path) {
    this.client = client;
    this.path = path;
  }

  /**
   * Connects to ZooKeeper.
   *
   * @throws DemoException if {@code address} is malformed or does not answer
   */
  static ElectionNodes connect(String address, String path) throws InterruptedException {
    try {
      new ConnectStringParser(address);
    } catch (IllegalArgumentException e) {
      throw DemoException.badInput("\"" + address + "\" is no ZooKeeper address host:port");
    }
    int session = (int) EmbeddedZooKeeper.SESSION.toMillis();
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(address, session, session, new RetryOneTime(100));
    client.start();
    if (!client.blockUntilConnected((int) CONNECT_BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
      client.close();
      throw DemoException.badInput(
          "ZooKeeper at %s did not answer within %d s"
              .formatted(address, CONNECT_BOUND.toSeconds()));
    }
    return new ElectionNodes(client, path);
  }

  String path() {
    return path;
  }

  /** The session timeout that this ZooKeeper grants. */
  Duration session() throws Exception {
    return Duration.ofMillis(client.getZookeeperClient().getZooKeeper().getSessionTimeout());
  }

  /** The node of the contender that holds the lock: the oldest one. */
  Node holder() throws Exception {
    List<Node> nodes = new ArrayList<>();
    for (String child : client.getChildren().forPath(path)) {
      String childPath = path + "/" + child;
      Stat stat = client.checkExists().forPath(childPath);
      if (stat != null) {
        nodes.add(new Node(childPath, stat.getCzxid()));
      }
    }
    return nodes.stream()
        .min(Comparator.comparingLong(Node::czxid))
        .orElseThrow(() -> DemoException.unfinished("nobody holds the lock " + path));
  }

  /** Waits until ZooKeeper has removed {@code node} because its session expired. */
  void awaitGone(Node node, Timeline timeline) throws Exception {
    // A server looks for expired sessions once a tick, which is at most half a session.
    Duration bound = session().multipliedBy(2).plus(Cast.BOUND);
    long start = System.nanoTime();
    long noted = start;
    while (client.checkExists().forPath(node.path()) != null) {
      if (System.nanoTime() - start > bound.toNanos()) {
        throw DemoException.unfinished(
            "ZooKeeper still has %s %d s after its owner was frozen"
                .formatted(node.path(), bound.toSeconds()));
      }
      if (System.nanoTime() - noted > Duration.ofSeconds(1).toNanos()) {
        noted = System.nanoTime();
        timeline.note("... waiting for ZooKeeper to expire the session of the frozen leader");
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Removes the election's nodes. */
  void remove() throws Exception {
    try {
      client.delete().deletingChildrenIfNeeded().forPath(path);
    } catch (KeeperException.NoNodeException e) {
      // Nobody stood for election, or ZooKeeper was faster: it removes empty containers.
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
