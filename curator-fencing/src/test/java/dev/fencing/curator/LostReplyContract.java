package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

/** The reply to the create of the lock node is lost on the wire. */
abstract class LostReplyContract extends ZooKeeperCase {

  /** In the request that creates a lock node; later requests have the sequence behind it. */
  private static final String CREATE = "-lock-";

  /** Only in requests that name the finished node. */
  private static final String NODE = "-lock-0";

  @Test
  void lostReplyLeavesOneNodeAndItsTrueCzxidIsTheToken() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    long session = session(client);
    Fault lost = proxy().dropReplyTo(CREATE);

    long token = mutex.acquireAndGetToken();

    lost.await(SOON);
    Stat node = onlyNode();
    assertThat(token).isPositive().isEqualTo(node.getCzxid());
    assertThat(node.getEphemeralOwner()).isEqualTo(session).isEqualTo(session(client));
    assertThat(mutex.getToken()).isEqualTo(token);
    mutex.release();
  }

  @Test
  void lostReplyToALeasesCreateGivesItsTrueCzxid() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    Fault lost = proxy().dropReplyTo(CREATE);

    try (FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease()) {
      lost.await(SOON);
      assertThat(lease.token()).isPositive().isEqualTo(onlyNode().getCzxid());
      assertThat(lease.isLive()).isTrue();
    }
  }

  @Test
  void sessionThatExpiredWithTheReplyLeavesOnlyTheNewSessionsNode() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    ThreadHold acquire = acquireWithCreateAppliedAndReplyLost(client, path, path);
    long first = session(client);

    expireOnServer(client);
    proxy().restore();

    assertGrantedInANewSession(acquire, client, first, path);
  }

  @Test
  void nodeOfASessionThatTheClientGaveUpIsNotAdopted() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    Action expiry = clientExpiry(client);
    ThreadHold acquire = acquireWithCreateAppliedAndReplyLost(client, path, path);
    long first = session(client);

    expiry.run(); // the server keeps the first session and its node
    proxy().restore();

    assertGrantedInANewSession(acquire, client, first, path);
  }

  @Test
  void nodeOfASessionThatTheClientGaveUpIsDeletedInANamespaceToo() throws Exception {
    // Curator asks for the delete of the old node with the namespace applied twice.
    CuratorFramework client = proxiedClient(builder -> builder.namespace(path.substring(1)));
    createParent(path);
    Action expiry = clientExpiry(client);
    createParent(path + "/job");
    String parent = path + "/job";
    ThreadHold acquire = acquireWithCreateAppliedAndReplyLost(client, "/job", parent);
    long first = session(client);

    expiry.run();
    proxy().restore();

    assertGrantedInANewSession(acquire, client, first, parent);
    observer.delete(parent, -1);
  }

  @Test
  void lostReplyIsMadeUpForAsSoonAsConnectedThoughTheRetryPolicySleepsForMinutes()
      throws Exception {
    CuratorFramework client =
        proxiedClient(builder -> builder.retryPolicy(new RetryNTimes(5, 120_000)));
    createParent(path);
    ThreadHold acquire = acquireWithCreateAppliedAndReplyLost(client, path, path);

    proxy().restore();

    assertThat(acquire.tokenWithin(SOON)).isEqualTo(onlyNode().getCzxid());
    acquire.release();
  }

  @Test
  void nodeOfAnAttemptThatWasGivenUpBeforeItsReplyIsDeletedWithinASecondOfAConnection()
      throws Exception {
    CuratorFramework client =
        proxiedClient(builder -> builder.retryPolicy(new RetryNTimes(5, 120_000)));
    createParent(path);
    ThreadHold acquire = acquireWithCreateAppliedAndReplyLost(client, path, path);
    acquire.interrupt();
    assertThatThrownBy(acquire::token).cause().isInstanceOf(InterruptedException.class);
    assertThat(children(path)).hasSize(1);

    proxy().restore();

    awaitAnswer(client);
    within(Duration.ofSeconds(1), () -> children(path).isEmpty());
  }

  @Test
  void holderIsToldOfARevocationThoughTheReplyToItsWatchIsLost() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    CountDownLatch asked = new CountDownLatch(1);
    mutex.makeRevocable(lock -> asked.countDown());
    Fault lost = proxy().dropReplyTo(NODE);
    mutex.acquire();
    lost.await(SOON);
    awaitAnswer(client);

    Revoker.attemptRevoke(client(), path + "/" + children(path).get(0));

    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    mutex.release();
  }

  @Test
  void secondNodeOfTheSameAttemptIsDeleted() throws Exception {
    CuratorFramework client = client();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    mutex.acquire(); // A local holder, so that the waiter lists only after the create's reply.
    String holders = children(path).get(0);
    client
        .delete()
        .forPath(client.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(path + "/gap-"));
    CountDownLatch replies = blockEventThread(client);
    ThreadHold waiter = new ThreadHold(mutex);
    awaitChildren(2);
    String waiters =
        children(path).stream().filter(child -> !child.equals(holders)).findFirst().orElseThrow();
    long czxid = observer.exists(path + "/" + waiters, false).getCzxid();
    // As when the create is sent twice because a lagging server did not list the first.
    String first = path + "/" + waiters.substring(0, waiters.lastIndexOf('-') + 1) + "0000000001";
    client.create().withMode(CreateMode.EPHEMERAL).forPath(first);

    replies.countDown();
    eventually(() -> observer.exists(first, false) == null); // its session lives on
    mutex.release();

    assertThat(waiter.token()).isEqualTo(czxid);
    waiter.release();
  }

  @Test
  void createThatFailsAfterAllRetriesLeavesNoNodeOnceConnected() throws Exception {
    createThatFailsAfterAllRetriesLeavesNoNode(impatientClient(), path, path);
  }

  @Test
  void createThatFailsAfterAllRetriesInANamespaceLeavesNoNodeOnceConnected() throws Exception {
    createParent(path);
    String parent = path + "/job";
    createThatFailsAfterAllRetriesLeavesNoNode(
        impatientClient().usingNamespace(path.substring(1)), "/job", parent);
    observer.delete(parent, -1);
  }

  private void createThatFailsAfterAllRetriesLeavesNoNode(
      CuratorFramework client, String lockPath, String parent) throws Exception {
    createParent(parent);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, lockPath);
    Fault held = proxy().hold(CREATE);
    ThreadHold acquire = new ThreadHold(mutex);
    held.await(SOON);
    proxy().silence();
    held.cutClient();
    held.release();
    eventually(() -> children(parent).size() == 1);
    whileZooKeeperIsAway(
        () -> {
          assertThatThrownBy(acquire::token)
              .cause()
              .isInstanceOf(KeeperException.ConnectionLossException.class);
          assertThat(children(parent)).hasSize(1);
        });

    eventually(() -> children(parent).isEmpty());
    assertThat(mutex.holds).isEmpty();
    assertThat(mutex.acquireAndGetToken()).isEqualTo(onlyNode(parent).getCzxid());
    mutex.release();
  }

  @Test
  void nodeThatIsDeletedBeforeItsCzxidIsReadIsReplacedByANewOne() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    CzxidRead read = new CzxidRead(client);
    String first = children(path).get(0);
    observer.delete(path + "/" + first, -1);

    read.fault.release();

    long token = read.acquire.token();
    assertThat(children(path)).hasSize(1).doesNotContain(first);
    assertThat(token).isEqualTo(onlyNode().getCzxid());
    read.acquire.release();
  }

  @Test
  void nodeWhoseSessionEndsBeforeItsCzxidIsReadIsNotAdopted() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    CzxidRead read = new CzxidRead(client);
    long first = session(client);
    String firstNode = children(path).get(0);

    client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
    read.fault.drop();

    long token = read.acquire.token();
    eventually(() -> !children(path).contains(firstNode));
    assertThat(token).isEqualTo(onlyNode().getCzxid());
    assertThat(onlyNode().getEphemeralOwner()).isEqualTo(session(client)).isNotEqualTo(first);
    read.acquire.release();
  }

  @Test
  void failedCzxidReadRemovesTheNodeAndPublishesNoToken() throws Exception {
    CuratorFramework client = impatientClient();
    createParent(path);
    CzxidRead read = new CzxidRead(client);

    whileZooKeeperIsAway(
        () -> {
          read.fault.drop();
          assertThatThrownBy(read.acquire::token)
              .cause()
              .isInstanceOf(KeeperException.ConnectionLossException.class);
          assertThat(read.mutex.holds).isEmpty();
          assertThat(read.mutex.isAcquiredInThisProcess()).isFalse();
          assertThat(children(path)).hasSize(1);
        });
    soonNoChildren();
  }

  @Test
  void interruptedCzxidReadRemovesTheNodeAndKeepsTheInterruptStatus() throws Exception {
    CuratorFramework client = proxiedClient();
    createParent(path);
    CzxidRead read = new CzxidRead(client);

    read.acquire.interrupt();

    assertThatThrownBy(() -> read.acquire.token()).cause().isInstanceOf(InterruptedException.class);
    assertThat(read.acquire.interruptStatus()).isTrue();
    assertThat(read.mutex.holds).isEmpty();
    assertThat(read.mutex.isAcquiredInThisProcess()).isFalse();
    read.fault.release();
    soonNoChildren();
  }

  /** An acquire whose create is applied, whose reply is lost, and which cannot reconnect yet. */
  private ThreadHold acquireWithCreateAppliedAndReplyLost(
      CuratorFramework client, String lockPath, String parent) throws Exception {
    Fault held = proxy().hold(CREATE);
    ThreadHold acquire = new ThreadHold(new InterProcessFencedMutex(client, lockPath));
    held.await(SOON);
    proxy().silence();
    held.cutClient();
    held.release();
    eventually(() -> children(parent).size() == 1);
    return acquire;
  }

  private void assertGrantedInANewSession(
      ThreadHold acquire, CuratorFramework client, long first, String parent) throws Exception {
    // So it did not wait for the old node to time out.
    long token = acquire.tokenWithin(SOON);
    eventually(() -> children(parent).size() == 1);
    Stat node = onlyNode(parent);
    assertThat(token).isEqualTo(node.getCzxid());
    assertThat(node.getEphemeralOwner()).isEqualTo(session(client)).isNotEqualTo(first);
    acquire.release();
  }

  /** An acquire that waits for the answer to the read of its node's czxid. */
  private final class CzxidRead {
    final InterProcessFencedMutex mutex;
    final ThreadHold acquire;
    final Fault fault;

    CzxidRead(CuratorFramework client) throws Exception {
      mutex = new InterProcessFencedMutex(client, path);
      Fault lost = proxy().dropReplyTo(CREATE);
      acquire = new ThreadHold(mutex);
      lost.await(SOON);
      fault = proxy().hold(NODE);
      fault.await(SOON);
    }
  }
}
