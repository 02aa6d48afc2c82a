package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lock node that nobody takes back: its holder ignores a revocation, or there is no holder. */
class StubbornNodeTest extends ZooKeeperCase {

  private static ServerCnxnFactory connections;
  private static ZooKeeperServer server;

  @BeforeAll
  static void start(@TempDir File data) throws Exception {
    server = new ZooKeeperServer(data, data, TICK_MS);
    connections =
        ServerCnxnFactory.createFactory(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    connections.startup(server);
  }

  @AfterAll
  static void stop() {
    connections.shutdown();
  }

  @Override
  int port() {
    return connections.getLocalPort();
  }

  @Test
  void holderThatIgnoresARevocationKeepsTheLockAndAFreshNodeGivesATokenAboveItsOwn()
      throws Exception {
    InterProcessFencedMutex holder = new InterProcessFencedMutex(client(), path);
    CountDownLatch asked = new CountDownLatch(1);
    holder.makeRevocable(lock -> asked.countDown());
    long token = holder.acquireAndGetToken();
    CuratorFramework client = client();
    InterProcessFencedMutex other = new InterProcessFencedMutex(client, path);

    Revoker.attemptRevoke(client, holder.getParticipantNodes().iterator().next());

    assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(other.acquireAndGetToken(Duration.ofMillis(100))).isEmpty();
    assertThat(holder.getToken()).isEqualTo(token).isEqualTo(onlyNode().getCzxid());
    // What an administrator fences it out with, at the resource and without its lock.
    createParent(path + "-fence-out");
    assertThat(observer.exists(path + "-fence-out", false).getCzxid()).isGreaterThan(token);
    observer.delete(path + "-fence-out", -1);
    holder.release();
  }

  @Test
  void nodeOfASessionThatIsNoMoreBlocksUntilAnAdministratorDeletesIt() throws Exception {
    createParent(path);
    String orphan = path + "/_c_" + UUID.randomUUID() + "-lock-0000000000";
    long goneSession = 0x1234567890L;
    server
        .getZKDatabase()
        .getDataTree()
        .createNode(
            orphan,
            new byte[0],
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            goneSession,
            1,
            server.getZxid(),
            System.currentTimeMillis());
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    assertThat(mutex.acquireAndGetToken(Duration.ofMillis(100))).isEmpty();
    ThreadHold waiter = new ThreadHold(mutex);
    awaitChildren(2);

    // The diagnosis: who is in front, since when, and of which session.
    Collection<String> contenders = mutex.getParticipantNodes();
    assertThat(contenders).hasSize(2).first().isEqualTo(orphan);
    Stat stat = observer.exists(orphan, false);
    assertThat(stat.getEphemeralOwner()).isEqualTo(goneSession);
    assertThat(stat.getCzxid()).isPositive();
    assertThat(stat.getCtime()).isPositive();
    assertThat(server.getSessionTracker().isTrackingSession(goneSession)).isFalse();

    observer.delete(orphan, -1);

    assertThat(waiter.token()).isGreaterThan(stat.getCzxid()).isEqualTo(onlyNode().getCzxid());
    waiter.release();
    assertThat(mutex.acquireAndGetToken(Duration.ZERO)).isPresent();
    mutex.release();
  }
}
