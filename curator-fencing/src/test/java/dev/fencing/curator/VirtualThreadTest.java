package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holders and waiters that are virtual threads; needs a Java that has them. */
class VirtualThreadTest extends ZooKeeperCase {

  private static final int WAITERS = 1_000;

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
  void thousandVirtualThreadsOnOneMutexAreAllServedInTokenOrder() throws Exception {
    ExecutorService virtual = virtualThreads();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    List<Long> granted = new ArrayList<>(); // guarded by the lock under test
    CountDownLatch letGo = new CountDownLatch(1);
    List<Future<?>> all = new ArrayList<>();
    all.add(virtual.submit(() -> hold(mutex, granted, letGo)));
    awaitChildren(1);
    for (int i = 0; i < WAITERS; i++) {
      all.add(virtual.submit(() -> hold(mutex, granted, letGo)));
    }

    awaitChildren(WAITERS + 1); // waiters that pinned their carriers would keep out the others
    assertThat(get(virtual.submit(Thread::currentThread))).as("another virtual thread").isNotNull();
    letGo.countDown();
    for (Future<?> each : all) {
      get(each);
    }

    assertThat(granted).hasSize(WAITERS + 1).isSorted().doesNotHaveDuplicates();
    virtual.shutdown();
  }

  private static Object hold(
      InterProcessFencedMutex mutex, List<Long> granted, CountDownLatch letGo) throws Exception {
    granted.add(mutex.acquireAndGetToken());
    letGo.await();
    mutex.release();
    return granted;
  }

  /** By reflection, since these classes are compiled for Java 17. */
  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException e) {
      return abort("this Java " + Runtime.version().feature() + " has no virtual threads");
    }
  }
}
