package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What InterProcessReadWriteLock promises; run against it, against the fenced one, and against one
 * of each on one path.
 */
abstract class ReadWriteContract extends ZooKeeperCase {

  /** The two sides of one lock object. */
  record Locks(InterProcessMutex read, InterProcessMutex write) {

    static Locks plain(CuratorFramework client, String path) {
      InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path);
      return new Locks(lock.readLock(), lock.writeLock());
    }

    static Locks fenced(CuratorFramework client, String path) {
      InterProcessFencedReadWriteLock lock = new InterProcessFencedReadWriteLock(client, path);
      return new Locks(lock.readLock(), lock.writeLock());
    }
  }

  private CuratorFramework client;
  private CuratorFramework otherClient;
  private Locks mine;
  private Locks other;

  abstract Locks newLocks(CuratorFramework client, String path);

  /** Of the other process. */
  abstract Locks otherLocks(CuratorFramework client, String path);

  @BeforeEach
  void makeLocks() throws Exception {
    client = client();
    otherClient = client();
    mine = newLocks(client, path);
    other = otherLocks(otherClient, path);
  }

  /**
   * Skips a test that an old Curator cannot pass: its writers go over to reading at the end of the
   * queue, and when they release the write lock the next writer comes in with them.
   */
  private void assumeWritersKeepTheirPlace() throws Exception {
    String probe = path + "-probe";
    for (Locks locks : List.of(newLocks(client, probe), otherLocks(otherClient, probe))) {
      locks.write.acquire();
      locks.read.acquire();
      long places =
          children(probe).stream()
              .map(node -> node.substring(node.length() - 10))
              .distinct()
              .count();
      locks.read.release();
      locks.write.release();
      eventually(() -> children(probe).isEmpty());
      observer.delete(probe, -1);
      assumeTrue(places == 1, "this Curator does not keep the place of a writer that reads");
    }
  }

  private static boolean isFree(InterProcessMutex mutex) throws Exception {
    boolean free = mutex.acquire(0, TimeUnit.SECONDS);
    if (free) {
      mutex.release();
    }
    return free;
  }

  /** Acquires in another thread, runs the action and releases. */
  private Future<?> inside(InterProcessMutex mutex, Action action) {
    return inThread(
        () -> {
          mutex.acquire();
          try {
            action.run();
          } finally {
            mutex.release();
          }
          return null;
        });
  }

  @Test
  void readersAreInTogetherAndKeepWritersOut() throws Exception {
    assertThat(mine.read.acquire(10, TimeUnit.SECONDS)).isTrue();
    assertThat(other.read.acquire(10, TimeUnit.SECONDS)).isTrue();
    assertThat(children(path)).hasSize(2);

    assertThat(isFree(newLocks(client, path).write)).isFalse();
    assertThat(isFree(otherLocks(otherClient, path).write)).isFalse();

    mine.read.release();
    assertThat(isFree(newLocks(client, path).write)).as("one reader left").isFalse();
    other.read.release();
    assertThat(isFree(mine.write)).isTrue();
    assertThat(isFree(other.write)).isTrue();
  }

  @Test
  void writerKeepsReadersAndWritersOutAndTheyLeaveNoNode() throws Exception {
    mine.write.acquire();

    long start = System.nanoTime();
    assertThat(other.read.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(other.write.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(100_000_000L);
    assertThat(isFree(other.read)).isFalse();
    assertThat(isFree(other.write)).isFalse();
    assertThat(get(inThread(() -> isFree(mine.read)))).as("thread of one object").isFalse();
    assertThat(get(inThread(() -> isFree(mine.write)))).isFalse();
    assertThat(other.read.isAcquiredInThisProcess()).isFalse();
    assertThat(other.write.isAcquiredInThisProcess()).isFalse();

    awaitChildren(1);
    mine.write.release();
    assertThat(isFree(other.read)).isTrue();
    assertThat(isFree(other.write)).isTrue();
  }

  @Test
  void bothSidesAreHeldUntilTheLastReleaseOfAReentrantHold() throws Exception {
    mine.write.acquire();
    mine.write.acquire();
    assertThat(mine.write.acquire(0, TimeUnit.SECONDS)).isTrue();
    mine.write.release();
    mine.write.release();
    assertThat(children(path)).hasSize(1);
    assertThat(isFree(other.read)).isFalse();
    mine.write.release();
    assertThat(isFree(other.read)).isTrue();

    mine.read.acquire();
    mine.read.acquire();
    mine.read.release();
    assertThat(children(path)).hasSize(1);
    assertThat(isFree(other.write)).isFalse();
    mine.read.release();
    assertThat(isFree(other.write)).isTrue();
  }

  @Test
  void reentrantReaderIsNotHeldUpByAWaitingWriter() throws Exception {
    mine.read.acquire();
    Future<?> writer = inside(other.write, () -> {});
    awaitChildren(2);

    assertThat(mine.read.acquire(0, TimeUnit.SECONDS)).isTrue();

    mine.read.release();
    mine.read.release();
    get(writer);
  }

  @Test
  void writerWaitsForEveryReaderInFrontInWhateverOrderTheyGo() throws Exception {
    AtomicInteger readers = new AtomicInteger();
    List<CountDownLatch> leave = new ArrayList<>();
    List<Future<?>> held = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      CountDownLatch mayLeave = new CountDownLatch(1);
      leave.add(mayLeave);
      Locks locks = i % 2 == 0 ? newLocks(client, path) : otherLocks(otherClient, path);
      held.add(
          inside(
              locks.read,
              () -> {
                readers.incrementAndGet();
                mayLeave.await();
                readers.decrementAndGet();
              }));
      awaitChildren(1 + i);
    }
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    Future<?> writer = inside(mine.write, () -> seen.add(readers.get()));
    awaitChildren(5);

    for (int reader : List.of(3, 0, 2)) { // The one in front of the writer goes first.
      leave.get(reader).countDown();
      get(held.get(reader));
    }
    awaitChildren(2);
    assertThat(isFree(other.write)).isFalse();
    assertThat(seen).isEmpty();
    leave.get(1).countDown();
    get(held.get(1));
    get(writer);

    assertThat(seen).containsExactly(0);
  }

  @Test
  void waitersAreServedInTheOrderOfTheirNodesAndReadersBehindOneWriterTogether() throws Exception {
    mine.write.acquire();
    List<String> served = Collections.synchronizedList(new ArrayList<>());
    CyclicBarrier together = new CyclicBarrier(3);
    List<Future<?>> waiters = new ArrayList<>();
    String order = "RRRWRWW";
    for (int i = 0; i < order.length(); i++) {
      Locks locks = i % 2 == 0 ? otherLocks(otherClient, path) : newLocks(client, path);
      boolean first = i < 3;
      String name = order.charAt(i) + "" + (first ? "" : i);
      waiters.add(
          inside(
              name.startsWith("R") ? locks.read : locks.write,
              () -> {
                if (first) {
                  together.await(20, TimeUnit.SECONDS);
                }
                served.add(name);
              }));
      awaitChildren(2 + i);
    }

    assertThat(isFree(newLocks(client, path).read)).as("overtakes nobody").isFalse();
    mine.write.release();
    for (Future<?> waiter : waiters) {
      get(waiter);
    }

    assertThat(served).containsExactly("R", "R", "R", "W3", "R4", "W5", "W6");
  }

  @Test
  void readerDoesNotOvertakeAWriterThatWaitsBehindReaders() throws Exception {
    mine.read.acquire();
    List<String> served = Collections.synchronizedList(new ArrayList<>());
    Future<?> writer = inside(other.write, () -> served.add("W"));
    awaitChildren(2);
    assertThat(isFree(newLocks(client, path).read)).isFalse();
    Future<?> reader = inside(newLocks(client, path).read, () -> served.add("R"));
    awaitChildren(3);

    mine.read.release();
    get(writer);
    get(reader);

    assertThat(served).containsExactly("W", "R");
  }

  @Test
  void readerGoesOnWhenTheWriterInFrontGivesUp() throws Exception {
    mine.read.acquire();
    CountDownLatch in = new CountDownLatch(1);
    CountDownLatch queued = new CountDownLatch(1);
    Future<Boolean> writer =
        inThread(
            () -> {
              queued.countDown();
              return other.write.acquire(1, TimeUnit.SECONDS);
            });
    queued.await();
    awaitChildren(2);
    Future<?> reader = inside(newLocks(client, path).read, in::countDown);

    assertThat(get(writer)).isFalse();
    get(reader);

    assertThat(in.getCount()).isZero();
    assertThat(mine.read.isOwnedByCurrentThread()).isTrue();
    mine.read.release();
  }

  @Test
  void writerReadsAndDowngradesAndNobodyWhoWaitedComesInBetween() throws Exception {
    assumeWritersKeepTheirPlace();
    mine.write.acquire();
    AtomicInteger inside = new AtomicInteger(1);
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    List<Future<?>> waiters = new ArrayList<>();
    for (Locks locks : List.of(mine, newLocks(client, path), otherLocks(otherClient, path))) {
      waiters.add(inside(locks.write, () -> seen.add(inside.get())));
      awaitChildren(1 + waiters.size());
    }

    mine.read.acquire();
    assertThat(mine.read.acquire(0, TimeUnit.SECONDS)).as("re-entrant").isTrue();
    mine.read.release();
    assertThat(numbers()).as("read and write node").startsWith("0000000000", "0000000000");
    mine.write.release();

    assertThat(mine.write.isOwnedByCurrentThread()).isFalse();
    assertThat(mine.read.isOwnedByCurrentThread()).isTrue();
    awaitChildren(4);
    assertThat(other.write.acquire(200, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(other.read.acquire(0, TimeUnit.MILLISECONDS)).as("behind writers").isFalse();
    assertThat(seen).isEmpty();
    inside.decrementAndGet();
    mine.read.release();
    for (Future<?> waiter : waiters) {
      get(waiter);
    }
    assertThat(seen).containsExactly(0, 0, 0);
  }

  private List<String> numbers() throws Exception {
    return children(path).stream()
        .map(node -> node.substring(node.length() - 10))
        .sorted()
        .toList();
  }

  @Test
  void downgradedReaderLetsOtherReadersInAndMayDowngradeAgain() throws Exception {
    for (int round = 0; round < 2; round++) {
      mine.write.acquire();
      mine.read.acquire();
      assertThat(isFree(other.read)).isFalse();
      mine.write.release();
      assertThat(isFree(other.read)).isTrue();
      assertThat(isFree(other.write)).isFalse();
      mine.read.release();
      assertThat(isFree(other.write)).isTrue();
    }
  }

  @Test
  void readLockTakenThroughTheWriteLockMayBeGivenBackFirst() throws Exception {
    mine.write.acquire();
    for (int round = 0; round < 3; round++) {
      mine.read.acquire();
      assertThat(children(path)).hasSize(2);
      mine.read.release();
      assertThat(children(path)).hasSize(1);
    }
    assertThat(isFree(other.read)).isFalse();
    mine.write.release();
    assertThat(isFree(other.read)).isTrue();
  }

  @Test
  void readerCannotUpgradeWithinATimeAndLeavesNoNode() throws Exception {
    mine.read.acquire();
    assertThat(mine.write.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    awaitChildren(1);
    mine.read.release();

    mine.write.acquire();
    mine.read.acquire();
    mine.write.release();
    assertThat(mine.write.acquire(0, TimeUnit.MILLISECONDS)).as("after a downgrade").isFalse();
    mine.read.release();
  }

  @Test
  void releaseWithoutAHoldThrowsAndKeepsTheHoldsOfOthers() throws Exception {
    assertThatThrownBy(mine.read::release).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(mine.write::release).isInstanceOf(IllegalMonitorStateException.class);

    mine.write.acquire();
    assertThatThrownBy(mine.read::release).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(get(inThread(mine.write::isOwnedByCurrentThread))).isFalse();
    assertThatThrownBy(
            () ->
                get(
                    inThread(
                        () -> {
                          mine.write.release();
                          return null;
                        })))
        .cause()
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThat(children(path)).hasSize(1);
    mine.write.release();
    assertThat(isFree(other.write)).isTrue();
  }

  @Test
  void lockNodesHaveCuratorsNamesItsDefaultDataAndAreListedBySideInOrder() throws Exception {
    assumeWritersKeepTheirPlace();
    mine.write.acquire();
    mine.read.acquire();
    List<Future<?>> waiters = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      waiters.add(inside(otherLocks(otherClient, path).read, () -> {}));
      awaitChildren(3 + 2 * i);
      waiters.add(inside(otherLocks(otherClient, path).write, () -> {}));
      awaitChildren(4 + 2 * i);
    }

    String protection = path + "/_c_[0-9a-f-]{36}-";
    List<String> writers = List.copyOf(mine.write.getParticipantNodes());
    List<String> readers = List.copyOf(mine.read.getParticipantNodes());

    assertThat(writers).hasSize(3);
    assertThat(writers.get(0)).matches(protection + "__WRIT__0000000000");
    assertThat(writers.get(1)).endsWith("__WRIT__0000000003");
    assertThat(writers.get(2)).endsWith("__WRIT__0000000005");
    assertThat(readers).hasSize(3);
    assertThat(readers.get(0)).matches(protection + "__READ__0000000000");
    assertThat(readers.get(1)).endsWith("__READ__0000000002");
    assertThat(readers.get(2)).endsWith("__READ__0000000004");
    assertThat(observer.getData(writers.get(0), false, null))
        .isEqualTo(observer.getData(readers.get(0), false, null))
        .isEqualTo(CuratorFrameworkFactory.getLocalAddress());
    mine.read.release();
    mine.write.release();
    for (Future<?> waiter : waiters) {
      get(waiter);
    }
  }

  @Test
  void holdersOfBothSidesAreToldOfARevocation() throws Exception {
    for (InterProcessMutex side : List.of(mine.read, mine.write)) {
      CountDownLatch asked = new CountDownLatch(1);
      List<InterProcessMutex> told = Collections.synchronizedList(new ArrayList<>());
      side.makeRevocable(
          lock -> {
            told.add(lock);
            asked.countDown();
          });
      side.acquire();

      Revoker.attemptRevoke(otherClient, side.getParticipantNodes().iterator().next());

      assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(told).containsExactly(side);
      side.release();
    }
  }

  @Test
  void revocationOfTheHolderIsNotTakenForItsRelease() throws Exception {
    mine.write.acquire();
    AtomicInteger in = new AtomicInteger();
    Future<?> reader = inside(other.read, in::incrementAndGet);
    awaitChildren(2);
    Future<?> writer = inside(otherLocks(otherClient, path).write, in::incrementAndGet);
    awaitChildren(3);

    for (String node : mine.write.getParticipantNodes()) {
      Revoker.attemptRevoke(otherClient, node);
    }
    assertThat(newLocks(client, path).read.acquire(100, TimeUnit.MILLISECONDS)).isFalse();

    assertThat(in).hasValue(0);
    mine.write.release();
    get(reader);
    get(writer);
  }

  @Test
  void interruptedReadersAndWritersThrowKeepTheirStatusAndLeaveNoNode() throws Exception {
    mine.write.acquire();
    for (InterProcessMutex side : List.of(other.read, other.write)) {
      SynchronousQueue<Thread> threads = new SynchronousQueue<>();
      Future<Boolean> waiter =
          inThread(
              () -> {
                threads.put(Thread.currentThread());
                assertThatThrownBy(side::acquire).isInstanceOf(InterruptedException.class);
                return Thread.interrupted();
              });
      Thread thread = threads.take();
      awaitChildren(2);

      thread.interrupt();

      assertThat(get(waiter)).as("interrupt status").isTrue();
      awaitChildren(1);
      assertThat(side.isAcquiredInThisProcess()).isFalse();
    }
    mine.write.release();
  }

  @Test
  void noWriterIsEverInWithSomebodyElseUnderContentionOfEveryKind() throws Exception {
    assumeWritersKeepTheirPlace();
    AtomicInteger readers = new AtomicInteger();
    AtomicInteger writers = new AtomicInteger();
    List<String> violations = Collections.synchronizedList(new ArrayList<>());
    List<Future<?>> contenders = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Locks locks =
          switch (i % 4) {
            case 0 -> mine;
            case 1 -> other;
            case 2 -> newLocks(client, path);
            default -> otherLocks(otherClient, path);
          };
      int start = i;
      contenders.add(
          inThread(
              () -> {
                for (int round = start; round < start + 9; round++) {
                  boolean writes = round % 3 != 0;
                  if (writes) {
                    locks.write.acquire();
                    int inWriting = writers.incrementAndGet();
                    if (inWriting != 1 || readers.get() != 0) {
                      violations.add("writer in with %d, %s".formatted(inWriting, readers));
                    }
                  }
                  boolean reads = round % 3 != 1;
                  if (reads) {
                    locks.read.acquire();
                  }
                  if (writes) {
                    writers.decrementAndGet();
                    if (reads) {
                      readers.incrementAndGet();
                    }
                    locks.write.release();
                  } else {
                    readers.incrementAndGet();
                  }
                  if (reads) {
                    if (writers.get() != 0) {
                      violations.add("reader in with " + writers);
                    }
                    readers.decrementAndGet();
                    locks.read.release();
                  }
                }
                return null;
              }));
    }
    for (Future<?> contender : contenders) {
      get(contender);
    }
    assertThat(violations).isEmpty();
  }
}
