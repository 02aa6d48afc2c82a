package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A create is applied, and no try hears of it: the node is found and deleted later, wherever a
 * chroot and a namespace have put it.
 */
class LeakedNodeTest extends ZooKeeperCase {

  private static TestingServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MS, -1), true);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Override
  int port() {
    return server.getPort();
  }

  @Test
  void nodeIsDeletedInAChroot() throws Exception {
    createParent(path);
    createParent(path + "/job");
    leakedNodeIsDeleted(client(path, ""), "/job", path + "/job");
    observer.delete(path + "/job", -1);
  }

  @Test
  void nodeIsDeletedInANamespaceOfAChroot() throws Exception {
    createParent(path);
    createParent(path + "/team");
    createParent(path + "/team/job");
    leakedNodeIsDeleted(client(path, "team"), "/job", path + "/team/job");
    observer.delete(path + "/team/job", -1);
    observer.delete(path + "/team", -1);
  }

  @Test
  void nodeIsDeletedWhereTheNamespaceIsTakenAwayAgain() throws Exception {
    createParent(path);
    createParent(path + "/job");
    leakedNodeIsDeleted(client("", "team").usingNamespace(null), path + "/job", path + "/job");
    observer.delete(path + "/job", -1);
  }

  private CuratorFramework client(String chroot, String namespace) throws Exception {
    String server = "127.0.0.1:" + proxy().port() + chroot;
    return proxiedClient(
        builder ->
            builder
                .connectString(server)
                .namespace(namespace.isEmpty() ? null : namespace)
                .connectionTimeoutMs(500)
                .retryPolicy(new RetryOneTime(50)));
  }

  private void leakedNodeIsDeleted(CuratorFramework client, String lockPath, String parent)
      throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, lockPath);
    long session = session(client);
    Fault create = proxy().hold("-lock-");
    ThreadHold acquire = new ThreadHold(mutex);
    create.await(SOON);
    proxy().silence();
    create.cutClient();
    create.release();
    eventually(() -> children(parent).size() == 1);
    String leaked = children(parent).get(0);
    whileZooKeeperIsAway(
        () -> {
          assertThatThrownBy(acquire::token).cause().isInstanceOf(KeeperException.class);
          assertThat(children(parent)).containsExactly(leaked);
        });

    eventually(() -> children(parent).isEmpty());
    assertThat(session(client)).as("so it was not the session's end").isEqualTo(session);
    ThreadHold next = new ThreadHold(mutex);
    assertThat(next.tokenWithin(SOON)).isEqualTo(onlyNode(parent).getCzxid());
    next.release();
    eventually(() -> children(parent).isEmpty());
  }
}
