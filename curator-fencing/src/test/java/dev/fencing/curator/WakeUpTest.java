package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** No waiter sleeps through a release, whenever it comes. */
class WakeUpTest extends ZooKeeperCase {

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
  void releaseWhileTheWaitersWatchIsOnItsWayIsNotMissed() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    // Of the waiter's requests only the watch names a finished node.
    Fault watch = proxy().hold("-lock-0");
    ThreadHold waiter = new ThreadHold(new InterProcessFencedMutex(proxiedClient(), path));
    watch.await(SOON);
    awaitChildren(2);

    holder.close();
    awaitChildren(1);
    watch.release();

    assertThat(waiter.tokenWithin(SOON)).isGreaterThan(holder.token());
    waiter.release();
  }

  @Test
  void releaseWhileTheWaitersListingIsOnItsWayIsNotMissed() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    // The flag that follows the path in the request to list it, and nowhere else.
    Fault listing = proxy().hold(path + "\0");
    ThreadHold waiter = new ThreadHold(new InterProcessFencedMutex(proxiedClient(), path));
    listing.await(SOON);

    holder.close();
    listing.release();

    assertThat(waiter.tokenWithin(SOON)).isGreaterThan(holder.token());
    waiter.release();
  }

  @Test
  void waiterInTheMiddleThatGivesUpIsNotTakenForTheHolderNorMissed() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    ThreadHold second = new ThreadHold(new InterProcessFencedMutex(client(), path));
    awaitChildren(2);
    ThreadHold third = new ThreadHold(new InterProcessFencedMutex(client(), path));
    awaitChildren(3);

    second.interrupt();
    awaitChildren(2);
    assertThatThrownBy(() -> third.tokenWithin(Duration.ofMillis(200)))
        .isInstanceOf(TimeoutException.class);
    holder.close();

    assertThat(third.tokenWithin(SOON)).isGreaterThan(holder.token());
    third.release();
  }
}
