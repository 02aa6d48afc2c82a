package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a server of its own, whose figures nobody else changes. */
class ReadWriteLeftoverTest extends ZooKeeperCase {

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
  void readersAndWritersThatTimeOutDowngradeOrJustLeaveLeaveNothing() throws Exception {
    CuratorFramework client = client();
    createParent(path);
    long watches = watchesAtTheServer();
    long nodes = nodesAtTheServer();
    InterProcessFencedReadWriteLock lock = new InterProcessFencedReadWriteLock(client, path);
    AtomicInteger timedOut = new AtomicInteger();
    AtomicInteger downgraded = new AtomicInteger();
    List<Future<?>> contenders = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      InterProcessMutex side = i % 3 != 0 ? lock.readLock() : lock.writeLock();
      boolean patient = i < 3;
      contenders.add(
          inThread(
              () -> {
                for (int round = 0; round < 100; round++) {
                  if (!acquire(side, patient ? 60_000 : 1)) {
                    timedOut.incrementAndGet();
                  } else if (side == lock.writeLock() && round % 2 == 0) {
                    lock.readLock().acquire();
                    side.release();
                    lock.readLock().release();
                    downgraded.incrementAndGet();
                  } else {
                    side.release();
                  }
                }
                return null;
              }));
    }
    for (Future<?> contender : contenders) {
      get(contender);
    }

    awaitChildren(0);
    assertThat(timedOut).as("attempts that timed out").hasPositiveValue();
    assertThat(downgraded).hasPositiveValue();
    assertThat(lock.readLock().isAcquiredInThisProcess()).isFalse();
    assertThat(lock.writeLock().holds).isEmpty();
    assertThat(nodesAtTheServer()).isEqualTo(nodes);
    assertThat(watchesAtTheServer()).isEqualTo(watches);
  }

  /** A server that is slow to answer is one more way not to get the lock. */
  private static boolean acquire(InterProcessMutex side, long millis) throws Exception {
    try {
      return side.acquire(millis, TimeUnit.MILLISECONDS);
    } catch (KeeperException.ConnectionLossException noAnswerInTime) {
      return false;
    }
  }
}
