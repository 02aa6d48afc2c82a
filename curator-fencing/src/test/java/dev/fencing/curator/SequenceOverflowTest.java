package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a server whose sequence counters the test can set. */
class SequenceOverflowTest extends ZooKeeperCase {

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

  private void setCounter(int value) {
    server.getZKDatabase().getDataTree().getNode(path).stat.setCversion(value);
  }

  @Test
  void usedUpSequenceCounterIsRefusedUntilTheDrainedParentIsRemoved() throws Exception {
    CuratorFramework client = client();
    createParent(path);
    setCounter(Integer.MAX_VALUE - 1);
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    InterProcessFencedMutex other = new InterProcessFencedMutex(client(), path);

    long last = mutex.acquireAndGetToken();
    assertThat(children(path).get(0)).endsWith("-lock-2147483646");

    List<ThrowingCallable> ways =
        List.of(
            other::acquire,
            () -> other.acquireAndGetToken(Duration.ZERO),
            other::acquireLease,
            () -> other.acquireLease(Duration.ofSeconds(1)));
    for (ThrowingCallable way : ways) {
      assertThatThrownBy(way)
          .isExactlyInstanceOf(TokenOrderException.class)
          .hasMessageContaining(path)
          .hasMessageContaining("2147483647")
          .hasMessageContaining("delete the node " + path);
    }
    awaitChildren(1);
    assertThat(other.holds).isEmpty();
    assertThat(mutex.getToken()).as("the holder is untouched").isEqualTo(last);
    mutex.release();
    observer.delete(path, -1);

    assertThat(other.acquireAndGetToken()).isGreaterThan(last);
    assertThat(children(path).get(0)).endsWith("-lock-0000000000");
    other.release();
  }

  @Test
  void contendersThatReachTheEndOfTheCounterTogetherAreGrantedInTokenOrderOrRefused()
      throws Exception {
    CuratorFramework client = client();
    createParent(path);
    setCounter(Integer.MAX_VALUE - 5);
    List<Long> granted = new ArrayList<>(); // guarded by the lock under test
    AtomicInteger refused = new AtomicInteger();
    List<Future<?>> contenders = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
      contenders.add(
          inThread(
              () -> {
                try {
                  granted.add(mutex.acquireAndGetToken());
                  mutex.release();
                } catch (TokenOrderException usedUp) {
                  refused.incrementAndGet();
                }
                return null;
              }));
    }
    for (Future<?> contender : contenders) {
      get(contender);
    }

    assertThat(granted).hasSize(5).isSorted().doesNotHaveDuplicates();
    assertThat(refused).hasValue(15);
    awaitChildren(0);
  }

  @Test
  void electionOnAUsedUpCounterSaysSoAndGoesOnOnceTheParentIsRemoved() throws Exception {
    createParent(path);
    setCounter(Integer.MAX_VALUE);
    try (Candidate candidate = new Candidate(client(), path)) {
      eventually(
          () ->
              candidate.selector().state().lastFailure().orElse(null)
                  instanceof TokenOrderException);
      eventually(() -> candidate.selector().state().failuresInARow() >= 2);
      assertThat(candidate.hasLedAgain()).isFalse();

      eventually(this::removedParent); // Between two attempts of the candidate.

      candidate.leads(Duration.ofSeconds(1));
    }
  }

  private boolean removedParent() throws Exception {
    try {
      observer.delete(path, -1);
      return true;
    } catch (KeeperException.NotEmptyException attempt) {
      return false;
    }
  }

  @Test
  void negativeSequenceIsRefused() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    createParent(path);
    for (int counter : new int[] {Integer.MIN_VALUE, -5}) {
      setCounter(counter);
      assertThatThrownBy(mutex::acquireAndGetToken)
          .isExactlyInstanceOf(TokenOrderException.class)
          .hasMessageContaining(Integer.toString(counter));
      awaitChildren(0);
      assertThat(mutex.holds).isEmpty();
    }
  }

  @Test
  void usedUpSequenceCounterIsRefusedToReadersAndWritersButNotToTheWriterWhoReads()
      throws Exception {
    createParent(path);
    setCounter(Integer.MAX_VALUE - 1);
    InterProcessFencedReadWriteLock lock = new InterProcessFencedReadWriteLock(client(), path);
    InterProcessFencedReadWriteLock other = new InterProcessFencedReadWriteLock(client(), path);
    lock.writeLock().acquire();

    assertThatThrownBy(other.readLock()::acquire).isExactlyInstanceOf(TokenOrderException.class);
    assertThatThrownBy(other.writeLock()::acquire).isExactlyInstanceOf(TokenOrderException.class);
    awaitChildren(1);
    lock.readLock().acquire(); // It has the number of the write node.

    lock.writeLock().release();
    lock.readLock().release();
    awaitChildren(0);
  }

  @Test
  void serverHandsOutTheHighestSequenceAgainAndAgain() throws Exception {
    // Why the highest number is refused, though it sorts right: two contenders may both have it.
    CuratorFramework client = client();
    createParent(path);
    setCounter(Integer.MAX_VALUE);
    String first = client.create().forPath(path + "/first");
    String second = client.create().forPath(path + "/second");
    assertThat(server.getZKDatabase().getDataTree().getNode(path).stat.getCversion())
        .isEqualTo(Integer.MAX_VALUE);
    client.delete().forPath(first);
    client.delete().forPath(second);
  }
}
