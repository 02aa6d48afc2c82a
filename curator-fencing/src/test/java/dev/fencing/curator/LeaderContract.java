package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.curator.FencedLeaderSelector.Phase;
import dev.fencing.curator.FencedLeaderSelector.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;
import org.junit.jupiter.api.Test;

/** What a leader is told and may rely on, and how an election ends. */
abstract class LeaderContract extends ZooKeeperCase {

  @Test
  void leadsUnderTheLeaseOfItsOwnGrant() throws Exception {
    try (Candidate candidate = new Candidate(client(), path)) {
      FencedLease lease = candidate.leads();

      assertThat(lease.token()).isEqualTo(onlyNode().getCzxid());
      assertThat(lease.lockPath()).isEqualTo(path);
      assertThat(candidate.selector().hasLeadership()).isTrue();
      assertThat(candidate.selector().currentLease()).containsSame(lease);
      State state = candidate.selector().state();
      assertThat(state.phase()).isEqualTo(Phase.LEADING);
      assertThat(state.inPhase()).isBetween(Duration.ZERO, PATIENCE);
      assertThat(state.failuresInARow()).isZero();
      assertThat(state.lastFailure()).isEmpty();
    }
    assertThat(children(path)).isEmpty();
  }

  @Test
  void nodeThatIsReplacedBetweenTheWinAndTheUseOfItsTokenVoidsTheGrant() throws Exception {
    try (Candidate candidate = new Candidate(client(), path)) {
      FencedLease won = candidate.leads();
      long token = won.token();
      candidate.selector().interruptLeadership();
      FencedLease next = candidate.leads();

      assertThat(won.token()).as("not that of the newer node").isEqualTo(token);
      assertThat(won.isLive()).isFalse();
      assertThatThrownBy(won::requireLive).isInstanceOf(LeaseLostException.class);
      assertThat(next.token()).isGreaterThan(token).isEqualTo(onlyNode().getCzxid());
      assertThat(candidate.selector().currentLease()).containsSame(next);
    }
  }

  @Test
  void leaderThatStepsDownQueuesBehindThoseWhoWait() throws Exception {
    try (Candidate first = new Candidate(client(), path)) {
      long token = first.leads().token();
      try (Candidate second = new Candidate(client(), path)) {
        awaitChildren(2);
        assertThat(second.is(Phase.WAITING)).isTrue();
        assertThat(second.selector().hasLeadership()).isFalse();
        assertThat(second.selector().currentLease()).isEmpty();
        assertThat(second.selector().interruptLeadership()).as("does not lead").isFalse();

        first.resign();

        long higher = second.leads().token();
        assertThat(higher).isGreaterThan(token);
        awaitChildren(2);
        second.selector().interruptLeadership();
        assertThat(first.leads().token()).isGreaterThan(higher);
        assertThat(first.interrupts()).isZero();
      }
    }
  }

  @Test
  void plainLeaderSelectorIsExcludedAndSeesTheId() throws Exception {
    CompletableFuture<String> led = new CompletableFuture<>();
    try (Candidate candidate = new Candidate(client(), path);
        LeaderSelector plain =
            new LeaderSelector(
                client(),
                path,
                new LeaderSelectorListenerAdapter() {
                  @Override
                  public void takeLeadership(CuratorFramework client) {
                    led.complete("plain");
                  }
                })) {
      candidate.leads();
      plain.start();
      awaitChildren(2);

      assertThat(plain.getLeader()).isEqualTo(new Participant("candidate", true));
      assertThat(observer.getData(path + "/" + oldestChild(), false, null))
          .isEqualTo("candidate".getBytes(StandardCharsets.UTF_8));
      assertThat(led).isNotDone();
      candidate.selector().interruptLeadership();
      assertThat(get(led)).isEqualTo("plain");
      candidate.leads();
    }
  }

  @Test
  void aRunThatIsToldToStopTwiceIsInterruptedOnceAndQueuesAgain() throws Exception {
    CountDownLatch cleanedUp = new CountDownLatch(1);
    try (Candidate candidate = new Candidate(client(), path)) {
      candidate.swallowInterruptUntil(cleanedUp);
      FencedLease lease = candidate.leads();

      assertThat(candidate.selector().interruptLeadership()).isTrue();
      assertThat(candidate.selector().interruptLeadership()).as("again").isFalse();
      eventually(() -> candidate.interrupts() == 1);
      assertThat(candidate.is(Phase.STEPPING_DOWN)).isTrue();
      assertThat(lease.isLive()).as("until takeLeadership returns").isTrue();
      cleanedUp.countDown();

      assertThat(candidate.leads().token()).isGreaterThan(lease.token());
      assertThat(candidate.interrupts()).isEqualTo(1);
      assertThat(candidate.selector().state().failuresInARow()).isZero();
    }
  }

  @Test
  void interruptsFromElsewhereEndNeitherTheWaitNorTheElection() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    try (Candidate candidate = new Candidate(client(), path)) {
      awaitChildren(2);
      Thread thread = get(candidate.thread);
      for (int times = 0; times < 3; times++) {
        thread.interrupt();
        eventually(() -> !thread.isInterrupted());
      }
      assertThat(children(path)).hasSize(2);
      holder.close();

      candidate.leads();
      assertThat(candidate.interrupts()).isZero();
      assertThat(candidate.selector().state().failuresInARow()).isZero();
    }
  }

  @Test
  void stepDownAtAnyMomentOfARunEndsThatRunAndNotTheElection() throws Exception {
    CountDownLatch enough = new CountDownLatch(200);
    List<Long> tokens = new CopyOnWriteArrayList<>();
    try (FencedLeaderSelector selector =
        new FencedLeaderSelector(
            client(),
            path,
            lease -> {
              tokens.add(lease.token());
              enough.countDown();
              spin(tokens.size() % 50);
            })) {
      selector.start();
      while (enough.getCount() > 0) {
        selector.interruptLeadership();
      }

      assertThat(selector.state().failuresInARow()).isZero();
      assertThat(selector.close(PATIENCE)).isTrue();
      assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void stopThatRacesWithTheEndOfItsRunReachesNothingElse() throws Exception {
    FencedLease lease = new InterProcessFencedMutex(client(), path).acquireLease();
    Exchanger<Term> begun = new Exchanger<>();
    Exchanger<Boolean> stopped = new Exchanger<>();
    int rounds = 500;
    Future<?> stopper =
        inThread(
            () -> {
              for (int round = 0; round < rounds; round++) {
                Term term = begun.exchange(new Term(lease));
                spin(round % 60);
                stopped.exchange(term.stop());
              }
              return null;
            });
    for (int round = 0; round < rounds; round++) {
      Term term = new Term(lease);
      boolean[] seen = {false};
      begun.exchange(term);
      term.run(
          leading -> {
            spin(30);
            seen[0] = Thread.currentThread().isInterrupted();
          });
      boolean told = stopped.exchange(true);

      assertThat(Thread.currentThread().isInterrupted()).as("status after the run").isFalse();
      assertThat(told || !seen[0]).as("interrupted only if told to stop").isTrue();
    }
    get(stopper);
    lease.close();
  }

  private static void spin(int times) {
    for (int i = 0; i < times * 200; i++) {
      Thread.onSpinWait();
    }
  }

  @Test
  void termThatIsStoppedBeforeItsFirstInstructionDoesNotBegin() throws Exception {
    FencedLease lease = new InterProcessFencedMutex(client(), path).acquireLease();
    Term term = new Term(lease);
    assertThat(term.stop()).isTrue();

    term.run(unexpected -> assertThat(unexpected).as("ran").isNull());

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(term.stop()).isFalse();
    lease.close();
  }

  @Test
  void termThatIsStoppedAtItsFirstInstructionIsInterruptedAndLeavesNoStatusBehind()
      throws Exception {
    FencedLease lease = new InterProcessFencedMutex(client(), path).acquireLease();
    Term term = new Term(lease);
    Thread.currentThread().interrupt(); // of whoever

    boolean[] interrupted = new boolean[2];
    term.run(
        leading -> {
          interrupted[0] = Thread.currentThread().isInterrupted();
          term.stop();
          interrupted[1] = Thread.currentThread().isInterrupted();
        });

    assertThat(interrupted).containsExactly(false, true);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(term.stop()).as("too late").isFalse();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    lease.close();
  }

  @Test
  void stopThatComesAfterTheRunInterruptsNobody() throws Exception {
    FencedLease lease = new InterProcessFencedMutex(client(), path).acquireLease();
    Term term = new Term(lease);
    term.run(leading -> {});

    assertThat(term.stop()).isFalse();

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    lease.close();
  }

  @Test
  void closeEndsTheRunThenReleasesAndMayBeCalledAgain() throws Exception {
    CountDownLatch cleanedUp = new CountDownLatch(1);
    Candidate candidate = new Candidate(client(), path);
    candidate.swallowInterruptUntil(cleanedUp);
    FencedLease lease = candidate.leads();

    assertThat(candidate.selector().close(Duration.ofMillis(50))).as("has not returned").isFalse();
    assertThat(candidate.selector().close(Duration.ZERO)).isFalse();
    eventually(() -> candidate.interrupts() == 1);
    assertThat(candidate.is(Phase.STEPPING_DOWN)).isTrue();
    assertThat(lease.isLive()).as("nobody else leads while it runs").isTrue();
    assertThat(children(path)).hasSize(1);
    Future<Boolean> closed = inThread(() -> candidate.selector().close(PATIENCE));
    cleanedUp.countDown();

    assertThat(get(closed)).isTrue();
    assertThat(children(path)).isEmpty();
    candidate.close();
    assertThat(candidate.interrupts()).as("its cleaning up is not interrupted").isEqualTo(1);
    assertThat(candidate.hasLedAgain()).isFalse();
    assertThat(candidate.is(Phase.CLOSED)).isTrue();
    assertThat(candidate.selector().state().failuresInARow()).isZero();
    assertThatThrownBy(candidate.selector()::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed before");
  }

  @Test
  void closeGivesUpThePlaceInTheQueue() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    Candidate candidate = new Candidate(client(), path);
    awaitChildren(2);

    candidate.close();

    assertThat(onlyNode().getCzxid()).isEqualTo(holder.token());
    assertThat(candidate.is(Phase.CLOSED)).isTrue();
    holder.close();
  }

  @Test
  void closeThatOvertakesTheAnswerToItsCreateWaitsUntilTheNodeIsGone() throws Exception {
    FencedLease holder = new InterProcessFencedMutex(client(), path).acquireLease();
    CuratorFramework client = client();
    CountDownLatch open = blockEventThread(client);
    Candidate candidate = new Candidate(client, path);
    awaitChildren(2);

    assertThat(candidate.selector().close(Duration.ZERO)).isFalse();
    candidate.thread.join().join(PATIENCE.toMillis());
    assertThat(candidate.selector().close(Duration.ZERO)).as("its node is there").isFalse();
    open.countDown();
    candidate.close();

    assertThat(onlyNode().getCzxid()).isEqualTo(holder.token());
    holder.close();
  }

  @Test
  void listenerThatClosesItsSelectorIsNotInterruptedAndLeadsNoMore() throws Exception {
    CompletableFuture<FencedLeaderSelector> self = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    FencedLeaderSelector selector =
        new FencedLeaderSelector(
            client(),
            path,
            lease -> {
              self.get().close();
              interrupted.complete(Thread.currentThread().isInterrupted());
            });
    self.complete(selector);
    selector.start();

    assertThat(get(interrupted)).isFalse();
    eventually(() -> selector.state().phase() == Phase.CLOSED);
    assertThat(selector.close(PATIENCE)).isTrue();
    assertThat(children(path)).isEmpty();
  }

  @Test
  void closeByAnInterruptedThreadDoesNotWaitAndKeepsItsStatus() throws Exception {
    CountDownLatch cleanedUp = new CountDownLatch(1);
    Candidate candidate = new Candidate(client(), path);
    candidate.swallowInterruptUntil(cleanedUp);
    candidate.leads();

    assertThat(interruptedIn(() -> assertThat(candidate.selector().close(PATIENCE)).isFalse()))
        .as("threw")
        .isFalse();

    cleanedUp.countDown();
    candidate.close();
  }

  @Test
  void selectorIsStartedOnceAndClosedAlsoIfItNeverWas() throws Exception {
    FencedLeaderSelector selector = new FencedLeaderSelector(client(), path, lease -> {});
    assertThat(selector.state().phase()).isEqualTo(Phase.NEW);
    selector.close();
    assertThat(selector.state().phase()).isEqualTo(Phase.CLOSED);
    assertThatThrownBy(selector::start).isInstanceOf(IllegalStateException.class);

    try (Candidate candidate = new Candidate(client(), path)) {
      assertThatThrownBy(candidate.selector()::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("started before");
      candidate.leads();
    }
  }

  @Test
  void malformedPathIsRefused() throws Exception {
    CuratorFramework client = client();
    assertThatThrownBy(() -> new FencedLeaderSelector(client, "no/slash", lease -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private String oldestChild() throws Exception {
    return children(path).stream()
        .min((a, b) -> a.substring(a.length() - 10).compareTo(b.substring(b.length() - 10)))
        .orElseThrow();
  }
}
