package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

/** A hold as a value. */
abstract class LeaseContract extends ZooKeeperCase {

  @Test
  void leaseIsHandedToAnotherThreadAndClosedThere() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease lease = mutex.acquireLease();

    Future<Long> other =
        inThread(
            () -> {
              lease.requireLive();
              long token = lease.token();
              lease.close();
              return token;
            });

    assertThat(get(other)).isEqualTo(lease.token());
    assertThat(children(path)).isEmpty();
    assertThat(lease.isLive()).isFalse();
    assertThat(mutex.isAcquiredInThisProcess()).isFalse();
  }

  @Test
  void closedLeaseStaysClosedAndKeepsItsToken() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease lease = mutex.acquireLease();
    long token = lease.token();
    assertThat(lease).hasToString("FencedLease[" + path + ", token " + token + ", live]");

    lease.close();
    assertThat(lease.isLive()).isFalse();
    assertThat(lease.token()).isEqualTo(token);
    assertThat(lease).hasToString("FencedLease[" + path + ", token " + token + ", closed]");
    assertThatThrownBy(lease::requireLive)
        .asInstanceOf(type(LeaseLostException.class))
        .satisfies(
            lost -> {
              assertThat(lost.token()).isEqualTo(token);
              assertThat(lost.lockPath()).isEqualTo(path);
              assertThat(lost).hasMessageContaining("closed by its holder");
            });
  }

  @Test
  void secondCloseDoesNotTouchTheNextHoldersNode() throws Exception {
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client(), path);
    FencedLease first = mutex.acquireLease();
    first.close();
    FencedLease second = mutex.acquireLease();

    first.close();

    assertThat(onlyNode().getCzxid()).isEqualTo(second.token()).isGreaterThan(first.token());
    second.close();
  }

  @Test
  void lostLeaseNeverComesBackToLife() throws Exception {
    CuratorFramework client = proxiedClient();
    InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, path);
    FencedLease lease = mutex.acquireLease();
    long before = session(client);

    expireOnServer(client);
    proxy().cut();
    eventually(() -> !lease.isLive());
    eventually(() -> client.getZookeeperClient().isConnected() && session(client) != before);

    FencedLease next = mutex.acquireLease();
    assertThat(next.isLive()).isTrue();
    assertThat(lease.isLive()).isFalse();
    assertThat(lease.token()).isLessThan(next.token());
    assertThat(lease.toString()).contains("lost");
    assertThatThrownBy(lease::requireLive)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(Long.toString(lease.token()));
    lease.close();
    assertThat(onlyNode().getCzxid()).isEqualTo(next.token());
    next.close();
  }

  @Test
  void nodeOfALostLeaseThatTheServerStillHasIsDeletedWithoutAClose() throws Exception {
    CuratorFramework client = client();
    FencedLease lease = new InterProcessFencedMutex(client, path).acquireLease();
    expireOnClient(client);
    assertThat(lease.isLive()).isFalse();

    soonNoChildren(); // the session lives on at the server
    lease.close();
  }

  @Test
  void closeWhileZooKeeperIsAwayWarnsAndGoesOnInTheBackground() throws Exception {
    FencedLease lease = new InterProcessFencedMutex(impatientClient(), path).acquireLease();
    whileZooKeeperIsAway(
        () -> {
          List<LogRecord> records = recordsOf(lease::close);

          assertThat(records)
              .singleElement()
              .satisfies(
                  record -> {
                    assertThat(record.getLevel()).isEqualTo(Level.WARNING);
                    assertThat(record.getMessage())
                        .contains(path)
                        .contains(Long.toString(lease.token()))
                        .contains("background");
                  });
          assertThat(recordsOf(lease::close)).as("a second close does nothing").isEmpty();
          assertThat(children(path)).hasSize(1);
        });
    soonNoChildren();
  }

  @Test
  void closeByAnInterruptedThreadKeepsItsStatusAndDeletesTheNode() throws Exception {
    FencedLease lease = new InterProcessFencedMutex(client(), path).acquireLease();
    List<LogRecord> records =
        recordsOf(() -> assertThat(interruptedIn(lease::close)).as("threw").isFalse());
    assertThat(records).isEmpty();
    soonNoChildren();
  }

  @Test
  void oneThreadHoldsLeasesOnSeveralLocks() throws Exception {
    CuratorFramework client = client();
    String second = path + "-second";
    FencedLease a = new InterProcessFencedMutex(client, path).acquireLease();
    FencedLease b = new InterProcessFencedMutex(client, second).acquireLease();
    a.close();
    assertThat(a.isLive()).isFalse();
    assertThat(b.isLive()).isTrue();
    assertThat(children(second)).hasSize(1);
    b.close();
    observer.delete(second, -1);
  }

  @Test
  void holderDoesNotKeepTheAttemptsThatTimedOutBehindIt() throws Exception {
    CuratorFramework client = client();
    FencedLease holder = new InterProcessFencedMutex(client, path).acquireLease();
    WeakReference<String> attempt = timedOutAttempt(client);

    eventually(
        () -> {
          // The client's threads keep what they did last until there is something else to do.
          client.checkExists().inBackground((source, event) -> {}).forPath("/");
          System.gc();
          return attempt.get() == null;
        });
    assertThat(holder.isLive()).isTrue();
    holder.close();
  }

  /** The lock path's String object is referenced by everything that belongs to the attempt. */
  private WeakReference<String> timedOutAttempt(CuratorFramework client) throws Exception {
    String own = new String(path.toCharArray());
    assertThat(new InterProcessFencedMutex(client, own).acquireLease(Duration.ofMillis(20)))
        .isEmpty();
    return new WeakReference<>(own);
  }

  private List<LogRecord> recordsOf(Action work) throws Exception {
    List<LogRecord> records = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(FencedLease.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (record.getMessage().contains(path)) {
              records.add(record);
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      work.run();
    } finally {
      logger.removeHandler(handler);
    }
    return records;
  }
}
