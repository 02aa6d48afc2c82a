package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.curator.FencedLeaderSelector.Phase;
import dev.fencing.curator.FencedLeaderSelector.State;
import dev.fencing.fixtures.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** Every way to lose the leadership, and that it is regained: by a candidate that is alone. */
abstract class LeaderLossContract extends ZooKeeperCase {

  private static final int SHORT_SESSION_MS = 1_000;

  /** Session, two ticks and one second, of being connected. */
  private static final Duration BOUND = Duration.ofMillis(SHORT_SESSION_MS + 2 * TICK_MS + 1_000);

  /** With a retry policy that sleeps for much longer than the bound. */
  private CuratorFramework sleepyClient() throws Exception {
    return proxiedClient(
        builder ->
            builder
                .sessionTimeoutMs(SHORT_SESSION_MS)
                .connectionTimeoutMs(500)
                .retryPolicy(new RetryNTimes(10, 60_000)));
  }

  @Test
  void expiredSessionIsToldOnceAndTheNextGrantHasAHigherToken() throws Exception {
    CuratorFramework client = sleepyClient();
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      long token = lease.token();

      expireOnServer(client);
      proxy().cut();

      FencedLease next = candidate.leads(BOUND);
      assertThat(next.token()).isGreaterThan(token).isEqualTo(onlyNode().getCzxid());
      assertThat(lease.token()).as("captured objects keep their stale token").isEqualTo(token);
      assertThatThrownBy(lease::requireLive).isInstanceOf(LeaseLostException.class);
      assertThat(candidate.interrupts()).isEqualTo(1);
      assertThat(candidate.selector().currentLease()).containsSame(next);
      assertThat(candidate.selector().state().failuresInARow()).isZero();
    }
  }

  @Test
  void outagePastTheSessionInterruptsTheLeaderOnceAndIsRegained() throws Exception {
    CuratorFramework client = sleepyClient();
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      whileZooKeeperIsAway(
          () -> {
            awaitChildren(0); // The server has ended the session.
            eventually(() -> candidate.is(Phase.DISCONNECTED));
            assertThat(candidate.interrupts()).as("told while disconnected").isEqualTo(1);
            assertThat(candidate.selector().hasLeadership()).isFalse();
            assertThat(candidate.selector().state().inPhase()).isLessThan(PATIENCE);
          });

      FencedLease next = candidate.leads(BOUND);
      assertThat(next.token()).isGreaterThan(lease.token());
      assertThat(candidate.interrupts()).isEqualTo(1);
    }
  }

  @Test
  void blipWithinTheSessionKeepsTheLeaseTheNodeAndTheRun() throws Exception {
    CuratorFramework client = proxiedClient();
    List<ConnectionState> states = new CopyOnWriteArrayList<>();
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      String node = children(path).get(0);
      client.getConnectionStateListenable().addListener((source, state) -> states.add(state));

      whileZooKeeperIsAway(
          () -> {
            eventually(() -> states.contains(ConnectionState.SUSPENDED));
            assertThat(candidate.is(Phase.LEADING)).as("disconnected, not lost").isTrue();
          });
      eventually(() -> states.contains(ConnectionState.RECONNECTED));

      assertThat(lease.verify(PATIENCE)).isTrue();
      assertThat(children(path)).containsExactly(node);
      assertThat(candidate.interrupts()).isZero();
      assertThat(candidate.hasLedAgain()).isFalse();
      assertThat(candidate.selector().currentLease()).containsSame(lease);
    }
  }

  @Test
  void lossThatOnlyTheClientKnowsIsALossAndTheOldNodeGoes() throws Exception {
    CuratorFramework client = proxiedClient();
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      Action expiry = clientExpiry(client);
      whileZooKeeperIsAway(
          () -> {
            expiry.run();
            eventually(() -> candidate.interrupts() == 1);
            assertThat(lease.isLive()).isFalse();
            assertThat(onlyNode().getCzxid()).as("the server has it").isEqualTo(lease.token());
          });

      FencedLease next = candidate.leads(BOUND); // The server would keep the node for 20 s.
      awaitChildren(1);
      assertThat(onlyNode().getCzxid()).isEqualTo(next.token()).isGreaterThan(lease.token());
      assertThat(onlyNode().getEphemeralOwner()).isEqualTo(session(client));
    }
  }

  @Test
  void leaderWhoseOldNodeIsStillListedAfterTheOutageQueuesAnewAndNeverLeadsBesideAnother()
      throws Exception {
    CuratorFramework client = proxiedClient();
    try (Candidate first = new Candidate(client, path)) {
      FencedLease lease = first.leads();
      try (Candidate second = new Candidate(client(), path)) {
        awaitChildren(2);
        Action expiry = clientExpiry(client);
        whileZooKeeperIsAway(
            () -> {
              expiry.run();
              eventually(() -> first.interrupts() == 1);
              assertThat(second.is(Phase.WAITING)).as("the old node is listed").isTrue();
            });

        long higher = second.leads().token();
        assertThat(higher).isGreaterThan(lease.token());
        awaitChildren(2);
        assertThat(first.hasLedAgain()).isFalse();
        assertThat(first.is(Phase.WAITING)).isTrue();
        second.resign();
        assertThat(first.leads().token()).isGreaterThan(higher);
      }
    }
  }

  @Test
  void electionParentThatIsDeletedWhileDisconnectedIsMadeAgain() throws Exception {
    CuratorFramework client = proxiedClient();
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      whileZooKeeperIsAway(this::deleteElection);

      FencedLease next = candidate.leads(BOUND);
      assertThat(next.token()).isGreaterThan(lease.token()).isEqualTo(onlyNode().getCzxid());
      assertThat(lease.isLive()).isFalse();
      assertThat(candidate.interrupts()).isEqualTo(1);
    }
  }

  @Test
  void electionParentThatIsDeletedWhileDisconnectedDoesNotStrandACandidateThatWaits()
      throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CuratorFramework client = proxiedClient();
    try (Candidate candidate = new Candidate(client, path)) {
      awaitChildren(2);
      eventually(() -> candidate.is(Phase.WAITING));
      whileZooKeeperIsAway(this::deleteElection);

      eventually(() -> candidate.selector().hasLeadership() && !children(path).isEmpty());
      within(
          BOUND,
          () ->
              candidate.selector().currentLease().map(FencedLease::token).orElse(0L)
                  == onlyNode().getCzxid());
    }
    holder.close();
  }

  @Test
  void candidateWhoseDeleteIsLostWithinTheSessionDoesNotBlockItself() throws Exception {
    CuratorFramework client =
        proxiedClient(builder -> builder.retryPolicy(new RetryNTimes(10, 60_000)));
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      assertThat(lease.verify(PATIENCE)).as("nothing else with the name is on its way").isTrue();
      long session = session(client);
      Fault deletion = proxy().hold(children(path).get(0));
      candidate.resign();
      deletion.await(PATIENCE);
      deletion.drop();

      FencedLease next = candidate.leads(BOUND); // The session lasts for 20 s.
      awaitChildren(1);
      assertThat(session(client)).as("the same session").isEqualTo(session);
      assertThat(onlyNode().getCzxid()).isEqualTo(next.token()).isGreaterThan(lease.token());
      assertThat(candidate.selector().state().failuresInARow()).isZero();
    }
  }

  @Test
  void candidateWhoseCreateWasCutOffDoesNotSleepAsTheRetryPolicySays() throws Exception {
    CuratorFramework client =
        proxiedClient(builder -> builder.retryPolicy(new RetryNTimes(10, 60_000)));
    try (Candidate candidate = new Candidate(client, path)) {
      FencedLease lease = candidate.leads();
      Fault create = proxy().hold("lock-\0\0\0"); // Sequential: no number follows the name.
      candidate.resign();
      create.await(PATIENCE);
      create.drop();

      assertThat(candidate.leads(BOUND).token()).isGreaterThan(lease.token());
    }
    awaitChildren(0);
  }

  @Test
  void sessionThatIsReplacedWhileWaitingGetsANewNode() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CuratorFramework client = sleepyClient();
    try (Candidate candidate = new Candidate(client, path)) {
      awaitChildren(2);
      long before = session(client);
      expireOnServer(client);
      proxy().cut();
      eventually(() -> session(client) != before && children(path).size() == 2);
      holder.close();

      FencedLease lease = candidate.leads(BOUND);
      assertThat(lease.token()).isGreaterThan(holder.token()).isEqualTo(onlyNode().getCzxid());
      assertThat(candidate.interrupts()).isZero();
    }
  }

  @Test
  void failingAcquireIsVisibleAndRetriedForEver() throws Exception {
    // An ephemeral node may not have children.
    observer.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    try (Candidate candidate = new Candidate(client(), path)) {
      eventually(() -> candidate.selector().state().failuresInARow() >= 3);
      State failing = candidate.selector().state();
      assertThat(failing.lastFailure())
          .containsInstanceOf(KeeperException.NoChildrenForEphemeralsException.class);
      eventually(() -> candidate.is(Phase.BACKING_OFF));

      observer.delete(path, -1);

      candidate.leads(Duration.ofSeconds(1));
      State healed = candidate.selector().state();
      assertThat(healed.phase()).isEqualTo(Phase.LEADING);
      assertThat(healed.failuresInARow()).isZero();
      assertThat(healed.lastFailure()).as("kept for whoever looks later").isPresent();
    }
  }

  @Test
  void outageThatExhaustsTheRetriesIsVisibleAndRegained() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CuratorFramework client = impatientClient();
    whileZooKeeperIsAway(
        () -> {
          eventually(() -> !client.getZookeeperClient().isConnected());
          Candidate candidate = new Candidate(client, path);
          eventually(() -> candidate.selector().state().failuresInARow() >= 1);
          assertThat(candidate.selector().state().lastFailure())
              .containsInstanceOf(KeeperException.ConnectionLossException.class);
          assertThat(candidate.selector().close(Duration.ofSeconds(1))).isTrue();
        });
    holder.close();
  }

  @Test
  void listenerThatThrowsIsVisibleAndLeadsAgainWithANewToken() throws Exception {
    try (Candidate candidate = new Candidate(client(), path)) {
      long token = candidate.leads().token();
      for (Throwable thrown :
          List.of(new IllegalStateException("on purpose"), new AssertionError("on purpose"))) {
        candidate.throwFromNowOn(thrown);
        candidate.resign();
        eventually(() -> candidate.selector().state().lastFailure().orElse(null) == thrown);
        assertThat(candidate.leads(Duration.ofSeconds(1)).token()).isGreaterThan(token);
      }
      eventually(() -> candidate.selector().state().failuresInARow() >= 4);
      candidate.throwFromNowOn(null);
      eventually(() -> candidate.is(Phase.LEADING));
      assertThat(candidate.selector().state().failuresInARow())
          .as("a grant does not heal a listener")
          .isGreaterThanOrEqualTo(4);

      candidate.resign();

      eventually(() -> candidate.selector().state().failuresInARow() == 0);
    }
  }

  @Test
  void listenerThatSwallowsItsInterruptHasADeadLeaseAndIsSeenSteppingDown() throws Exception {
    CountDownLatch open = new CountDownLatch(1);
    CuratorFramework client = sleepyClient();
    try (Candidate candidate = new Candidate(client, path)) {
      candidate.swallowInterruptUntil(open);
      FencedLease lease = candidate.leads();
      expireOnServer(client);
      proxy().cut();

      eventually(() -> candidate.interrupts() == 1);
      assertThatThrownBy(lease::requireLive).isInstanceOf(LeaseLostException.class);
      assertThat(candidate.is(Phase.STEPPING_DOWN)).isTrue();
      assertThat(candidate.selector().hasLeadership()).isFalse();
      assertThat(candidate.selector().currentLease()).isEmpty();
      eventually(() -> client.getZookeeperClient().isConnected());
      eventually(() -> candidate.selector().state().inPhase().toMillis() > 300);
      assertThat(children(path)).as("does not queue while it runs").isEmpty();
      open.countDown();

      assertThat(candidate.leads(BOUND).token()).isGreaterThan(lease.token());
      assertThat(candidate.selector().state().failuresInARow()).isZero();
    }
  }

  @Test
  void closedClientEndsTheElectionAndTheStateSaysSo() throws Exception {
    CuratorFramework client = client();
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    Candidate waits = new Candidate(client, path);
    awaitChildren(2);
    String other = path + "-other";
    Candidate leads = new Candidate(client, other);
    leads.leads();

    client.close();

    for (Candidate candidate : List.of(waits, leads)) {
      eventually(() -> candidate.is(Phase.FAILED));
      assertThat(candidate.selector().state().failuresInARow()).isEqualTo(1);
      assertThat(candidate.selector().state().lastFailure().orElseThrow())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("client is closed");
      candidate.close();
    }
    assertThat(leads.interrupts()).isEqualTo(1);
    holder.close();
    observer.delete(other, -1);
  }

  @Test
  void clientThatIsClosedWhileItIsDisconnectedEndsTheElection() throws Exception {
    CuratorFramework client =
        proxiedClient(builder -> builder.retryPolicy(new RetryNTimes(10, 60_000)));
    whileZooKeeperIsAway(
        () -> {
          Candidate candidate = new Candidate(client, path);
          eventually(() -> candidate.is(Phase.DISCONNECTED));

          client.close();

          within(Duration.ofSeconds(5), () -> candidate.is(Phase.FAILED));
          candidate.close();
        });
  }

  private void deleteElection() throws Exception {
    ZooKeeper server = observer;
    for (String child : children(path)) {
      server.delete(path + "/" + child, -1);
    }
    server.delete(path, -1);
  }
}
