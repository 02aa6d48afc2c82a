package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.TcpProxy;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** COMMIT whose answer never comes, made on the wire. */
class LostCommitTest extends PostgresTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  /** The statement alone: READ COMMITTED holds the word too. */
  private static final String COMMIT = "COMMIT\0";

  private TcpProxy proxy;
  private JdbcFence proxied;

  @BeforeEach
  void startProxy() throws IOException {
    proxy = TcpProxy.to(SERVER.port());
    proxied = JdbcFence.of(SERVER.dataSource(proxy.port()));
  }

  @AfterEach
  void stopProxy() throws IOException {
    proxy.close();
  }

  @Test
  void aLostAnswerEndsTheHandleAndTheSameTokenCannotBeRaisedAfresh() throws Exception {
    FencedResource ledger = proxied.raise("ledger", 33);
    Fault lost = proxy.dropReplyTo(COMMIT);

    assertThatThrownBy(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 5)))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessageContainingAll("\"ledger\"", "33", "renew()");

    lost.await(LONG);
    assertThat(ledger.isUsable()).isFalse();
    assertThatThrownBy(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 6)))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThatThrownBy(() -> proxied.raise("ledger", 33))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("raised before");
    assertThat(balance()).as("it was committed all the same").isEqualTo(5);
  }

  @Test
  void aRenewedHandleReadsTheTruthAndGoesOn() throws Exception {
    FencedResource ledger = loseTheAnswer();

    FencedResource renewed = ledger.renew();

    long read = renewed.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    renewed.inTransaction(c -> FenceContract.setBalance(c, read + 1));
    assertThat(balance()).isEqualTo(6);
    assertThat(renewed.token()).isEqualTo(33);
    assertThatThrownBy(ledger::renew).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void theRenewalWaitsForTheTransactionInDoubtWhichThenCommits() throws Exception {
    FencedResource ledger = proxied.raise("ledger", 33);
    Fault inFlight = proxy.hold(COMMIT);
    writeWhileItsCommitIsHeld(ledger, inFlight);

    CompletableFuture<FencedResource> renewal = Background.start(ledger::renew);
    FenceContract.awaitLockWaits(sql, 1);
    assertThat(renewal).isNotDone();
    assertThat(balance()).isEqualTo(100);
    inFlight.release();

    FencedResource renewed = renewal.get(30, TimeUnit.SECONDS);
    long read = renewed.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    assertThat(read).as("the late COMMIT landed before the renewal").isEqualTo(5);
    renewed.inTransaction(c -> FenceContract.setBalance(c, read + 1));
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void theRenewalWaitsForTheTransactionInDoubtWhichThenEndsWithoutIt() throws Exception {
    FencedResource ledger = proxied.raise("ledger", 33);
    Fault inFlight = proxy.hold(COMMIT);
    writeWhileItsCommitIsHeld(ledger, inFlight);

    CompletableFuture<FencedResource> renewal = Background.start(ledger::renew);
    FenceContract.awaitLockWaits(sql, 1);
    assertThat(renewal).isNotDone();
    inFlight.drop();

    FencedResource renewed = renewal.get(30, TimeUnit.SECONDS);
    long read = renewed.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    assertThat(read).isEqualTo(100);
    renewed.inTransaction(c -> FenceContract.setBalance(c, read + 1));
    assertThat(balance()).isEqualTo(101);
  }

  @Test
  void aRenewalThatCannotWaitLongEnoughIsBusyAndMayBeRepeated() throws Exception {
    JdbcFence impatient = impatient();
    FencedResource ledger = impatient.raise("ledger", 33);
    Fault inFlight = proxy.hold(COMMIT);
    writeWhileItsCommitIsHeld(ledger, inFlight);

    assertThatThrownBy(ledger::renew).isInstanceOf(FenceBusyException.class);
    inFlight.release();

    FencedResource renewed = renewUntilNotBusy(ledger);
    long read = renewed.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    assertThat(read).isEqualTo(5);
  }

  @Test
  void aNewerHolderEndsTheDoubtAndTheRenewal() throws Exception {
    FencedResource ledger = loseTheAnswer();
    fence.raise("ledger", 34);

    assertThatThrownBy(ledger::renew)
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContainingAll("33", "34");
    assertThatThrownBy(ledger::renew).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aRaiseWhoseOwnAnswerIsLostRepeatsItselfAndWins() throws Exception {
    proxied.checkSchema();
    Fault lost = proxy.dropReplyTo(COMMIT);

    FencedResource ledger = proxied.raise("ledger", 33);

    lost.await(LONG);
    ledger.inTransaction(c -> FenceContract.setBalance(c, 5));
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aRenewalWhoseOwnAnswerIsLostRepeatsItselfAndWins() throws Exception {
    FencedResource ledger = loseTheAnswer();
    Fault lost = proxy.dropReplyTo(COMMIT);

    FencedResource renewed = ledger.renew();

    lost.await(LONG);
    renewed.inTransaction(c -> FenceContract.setBalance(c, 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aRaiseWhoseCommitIsInFlightForTooLongSaysThatItMayBeInTheFence() throws Exception {
    JdbcFence impatient = impatient();
    Fault inFlight = proxy.hold(COMMIT);
    CompletableFuture<FencedResource> raise = Background.start(() -> impatient.raise("ledger", 33));
    inFlight.await(LONG);
    inFlight.cutClient();

    assertThatThrownBy(() -> raise.get(30, TimeUnit.SECONDS))
        .cause()
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("token 33", "may be in the fence", "acquire it anew");

    inFlight.release();
  }

  @Test
  void aRenewalWhoseCommitIsInFlightForTooLongIsCalledAgain() throws Exception {
    JdbcFence impatient = impatient();
    FencedResource ledger = impatient.raise("ledger", 33);
    Fault lost = proxy.dropReplyTo(COMMIT);
    assertThatThrownBy(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 5)))
        .isInstanceOf(UnknownOutcomeException.class);
    lost.await(LONG);
    Fault inFlight = proxy.hold(COMMIT);
    CompletableFuture<FencedResource> renewal = Background.start(ledger::renew);
    inFlight.await(LONG);
    inFlight.cutClient();
    assertThatThrownBy(() -> renewal.get(30, TimeUnit.SECONDS))
        .cause()
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContaining("call renew() again");

    inFlight.release();

    FencedResource renewed = renewUntilNotBusy(ledger);
    renewed.inTransaction(c -> FenceContract.setBalance(c, 7));
    assertThat(balance()).isEqualTo(7);
    assertThatThrownBy(ledger::renew).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void ofManyWhoRenewAtOnceOneGetsTheHandle() throws Exception {
    FencedResource ledger = loseTheAnswer();
    List<CompletableFuture<FencedResource>> renewals = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      renewals.add(Background.start(ledger::renew));
    }

    int renewed = 0;
    for (CompletableFuture<FencedResource> renewal : renewals) {
      try {
        renewal.get(30, TimeUnit.SECONDS).inTransaction(c -> FenceContract.setBalance(c, 7));
        renewed++;
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(StaleTokenException.class);
      }
    }
    assertThat(renewed).isEqualTo(1);
  }

  @Test
  void aConnectionThatBreaksBeforeTheCommitIsNoUnknownOutcome() throws Exception {
    FencedResource ledger = proxied.raise("ledger", 33);

    FencingException failed =
        catchThrowableOfType(
            FencingException.class,
            () ->
                ledger.inTransaction(
                    c -> {
                      FenceContract.setBalance(c, 5);
                      proxy.cut();
                      try {
                        FenceContract.setBalance(c, 6);
                      } catch (SQLException swallowed) {
                        // As an application might.
                      }
                      return 0;
                    }));

    assertThat(failed).isExactlyInstanceOf(FencingException.class).hasMessageContaining("before");
    assertThat(ledger.isUsable()).isTrue();
    ledger.inTransaction(c -> FenceContract.setBalance(c, 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void theFirstRaiseOfAProcessIsBoundedWhenTheServerFallsSilent() throws Exception {
    JdbcFence impatient = impatient();
    Fault silent = proxy.hold("pg_attribute");

    assertThatThrownBy(() -> bounded(() -> impatient.raise("ledger", 33)))
        .cause()
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("token 33", " ms", "Nothing was written");

    silent.drop();
    assertThat(impatient.raise("ledger", 34).token()).isEqualTo(34);
  }

  @Test
  void aRaiseIsBoundedWhenTheServerFallsSilent() throws Exception {
    JdbcFence impatient = impatient();
    impatient.raise("ledger", 33);
    Fault silent = proxy.hold("pg_advisory_xact_lock");

    assertThatThrownBy(() -> bounded(() -> impatient.raise("ledger", 34)))
        .cause()
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("token 34", "Nothing was written");

    silent.drop();
    assertThat(impatient.raise("ledger", 35).token()).isEqualTo(35);
  }

  @Test
  void aCheckIsBoundedWhenTheServerFallsSilentAndTheWorkIsNot() throws Exception {
    JdbcFence impatient = impatient();
    FencedResource ledger = impatient.raise("ledger", 33);
    Fault silent = proxy.hold("pg_try_advisory_xact_lock_shared");

    assertThatThrownBy(() -> bounded(() -> ledger.inTransaction(c -> 0)))
        .cause()
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("the check", " ms", "Nothing was written");

    silent.drop();
    int limit = ledger.inTransaction(c -> c.getNetworkTimeout());
    assertThat(limit).isZero();
  }

  private static <T> T bounded(Callable<T> work) throws Exception {
    return Background.start(work).get(20, TimeUnit.SECONDS);
  }

  private JdbcFence impatient() {
    return JdbcFence.builder(SERVER.dataSource(proxy.port()))
        .raiseTimeout(Duration.ofMillis(300))
        .checkTimeout(Duration.ofMillis(300))
        .build();
  }

  /** The released bytes are on their way to the server. */
  private static FencedResource renewUntilNotBusy(FencedResource dead) throws Exception {
    return Background.start(
            () -> {
              while (true) {
                try {
                  return dead.renew();
                } catch (FencingException stillInFlight) {
                  assertThat(stillInFlight).isNotInstanceOf(StaleTokenException.class);
                }
              }
            })
        .get(30, TimeUnit.SECONDS);
  }

  private FencedResource loseTheAnswer() throws InterruptedException {
    FencedResource ledger = proxied.raise("ledger", 33);
    Fault lost = proxy.dropReplyTo(COMMIT);
    assertThatThrownBy(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 5)))
        .isInstanceOf(UnknownOutcomeException.class);
    lost.await(LONG);
    return ledger;
  }

  private static void writeWhileItsCommitIsHeld(FencedResource ledger, Fault inFlight)
      throws Exception {
    CompletableFuture<Integer> write =
        Background.start(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 5)));
    inFlight.await(LONG);
    inFlight.cutClient();
    ExecutionException failed =
        catchThrowableOfType(ExecutionException.class, () -> write.get(30, TimeUnit.SECONDS));
    assertThat(failed).hasCauseInstanceOf(UnknownOutcomeException.class);
  }
}
