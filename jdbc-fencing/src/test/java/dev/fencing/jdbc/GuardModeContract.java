package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What guard mode has beside raise and check, on every database; a subclass names it. */
abstract class GuardModeContract extends DatabaseTest {

  private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";

  private final List<String> heard = new ArrayList<>();

  private final FenceListener listener =
      new FenceListener() {
        @Override
        public void unknown(String resource, UnknownOutcomeException why) {
          throw new NoClassDefFoundError("an Error changes nothing either");
        }

        @Override
        public void raised(String resource, long token, Duration waited) {
          assertThat(waited).isPositive();
          heard.add("raised " + resource + " " + token);
        }

        @Override
        public void accepted(String resource, long token) {
          heard.add("accepted " + resource + " " + token);
        }

        @Override
        public void refused(String resource, FencingException why, boolean observedOnly) {
          heard.add(
              "refused " + resource + " " + why.getClass().getSimpleName() + " " + observedOnly);
        }

        @Override
        public void busy(String resource, FenceBusyException why, boolean observedOnly) {
          heard.add("busy " + resource + " " + observedOnly);
          throw new IllegalStateException("a listener that fails changes nothing");
        }
      };

  // One guarded statement

  @Test
  void aGuardedStatementIsCommittedAndCounted() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThat(ledger.update(ADD, 5, 1)).isEqualTo(1);
    assertThat(ledger.update(ADD, 5, 2)).isZero();
    assertThat(ledger.update("INSERT INTO account VALUES (7, 7), (8, 8)")).isEqualTo(2);
    assertThat(ledger.update("DELETE FROM account WHERE id > 1; -- two")).isEqualTo(2);

    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void aStaleGuardedStatementWritesNothing() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);

    assertThatThrownBy(() -> old.update(ADD, 5, 1))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContainingAll("33", "34");

    assertThat(balance()).isEqualTo(100);
    assertThat(old.isUsable()).isFalse();
    assertThatThrownBy(() -> old.update(ADD, 5, 1)).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aGuardedStatementThatFailsThrowsItsOwnExceptionAndTheHandleGoesOn() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(() -> ledger.update("INSERT INTO account VALUES (1, 1)"))
        .isInstanceOf(SQLException.class)
        .extracting("SQLState")
        .asString()
        .startsWith("23");
    assertThatThrownBy(() -> ledger.update("UPDATE nowhere SET a = 1"))
        .isInstanceOf(SQLException.class);

    assertThat(ledger.update(ADD, 5, 1)).isEqualTo(1);
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void aGuardedStatementJoinsTheTransactionItIsIn() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      ledger.update(ADD, 5, 1);
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");

    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aGuardedStatementWithoutAFenceRowIsRefused() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    sql.run("DELETE FROM fence");

    assertThatThrownBy(() -> ledger.update(ADD, 5, 1)).isInstanceOf(FenceMissingException.class);
    assertThat(balance()).isEqualTo(100);
  }

  // Several resources

  @Test
  void oneTransactionChecksSeveralResources() throws SQLException {
    FencedResource stock = fence.raise("stock", 12);
    FencedResource ledger = fence.raise("ledger", 33);

    fence.inTransaction(List.of(stock, ledger), c -> FenceContract.setBalance(c, 5));
    assertThat(balance()).isEqualTo(5);

    fence.raise("stock", 13);
    assertThatThrownBy(
            () -> fence.inTransaction(List.of(stock, ledger), c -> FenceContract.setBalance(c, 6)))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("\"stock\"");
    assertThat(balance()).isEqualTo(5);
    assertThat(ledger.isUsable()).as("only the stale one is dead").isTrue();
  }

  @Test
  void severalResourcesAreLockedInTheOrderOfTheirNames() throws Exception {
    FencedResource a = fence.raise("a", 1);
    FencedResource b = fence.raise("b", 1);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Integer> open =
        Background.start(
            () ->
                a.inTransaction(
                    c -> {
                      inside.countDown();
                      goOn.await();
                      return 0;
                    }));
    inside.await();
    CompletableFuture<FencedResource> raise = Background.start(() -> fence.raise("a", 2));
    sql.awaitLockWaits(1);

    // Waits behind the raise of "a" and must not have locked "b" before.
    CompletableFuture<Integer> both =
        Background.start(() -> fence.inTransaction(List.of(b, a), c -> 0));
    sql.awaitLockWaits(2);
    fence.raise("b", 2);
    goOn.countDown();

    assertThat(open.get(30, TimeUnit.SECONDS)).isZero();
    assertThat(raise.get(30, TimeUnit.SECONDS).token()).isEqualTo(2);
    assertThatThrownBy(() -> both.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(StaleTokenException.class);
  }

  @Test
  void handlesThatDoNotFitTogetherAreRefused() {
    FencedResource ledger = fence.raise("ledger", 33);
    FencedResource foreign = JdbcFence.of(dataSource).raise("stock", 1);

    assertThatThrownBy(() -> fence.inTransaction(List.of(), c -> 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fence.inTransaction(List.of(ledger, ledger), c -> 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two handles of resource \"ledger\"");
    assertThatThrownBy(() -> fence.inTransaction(List.of(ledger, foreign), c -> 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another JdbcFence");
    assertThatThrownBy(
            () -> ledger.inTransaction(c -> fence.inTransaction(List.of(ledger), d -> 0)))
        .isInstanceOf(IllegalStateException.class);
  }

  // Sharing, looking, origin, retirement

  @Test
  void aHandleThatIsHandedOnWritesUnderTheSameHold() throws SQLException {
    FencedResource ledger = fence.raise("ledger: ü\n2", 33);
    JdbcFence otherProcess = JdbcFence.of(dataSource);

    FencedResource attached = otherProcess.attach(ledger.toText());
    attached.inTransaction(c -> FenceContract.addToBalance(c, 1));
    ledger.inTransaction(c -> FenceContract.addToBalance(c, 1));

    assertThat(ledger.toText()).matches("[!-~]+");
    assertThat(attached.resource()).isEqualTo("ledger: ü\n2");
    assertThat(balance()).isEqualTo(102);
    fence.raise("ledger: ü\n2", 34);
    assertThatThrownBy(() -> attached.update(ADD, 5, 1)).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> otherProcess.attach(ledger.toText()))
        .isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aTextThatIsNoHoldIsRefused() {
    for (String text : List.of("", "fence1:0:33:ff", "fence1:0:x:ff:a", "fence2:0:1:ff:a")) {
      assertThatThrownBy(() -> fence.attach(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("toText()");
    }
  }

  @Test
  void theStateOfAFenceCanBeLookedAt() throws SQLException {
    JdbcFence.builder(dataSource)
        .generation(2)
        .holder("worker-7")
        .build()
        .raise("b", 5, "/locks/b");
    fence.raise("a", 33);

    assertThat(fence.current("nothing")).isEmpty();
    FenceState b = fence.current("b").orElseThrow();
    assertThat(List.of(b.generation(), b.token())).containsExactly(2L, 5L);
    assertThat(b.origin()).isEqualTo("/locks/b");
    assertThat(b.holder()).isEqualTo("worker-7");
    assertThat(b.raisedAt()).isNotNull();
    assertThat(b.retired()).isFalse();
    fence.checkSchema();
    assertThat(fence.all()).extracting(FenceState::resource).containsExactly("a", "b");
  }

  @Test
  void tokensOfAnotherOriginAreRefused() {
    fence.raise("ledger", 33);
    fence.raise("ledger", 34, "/locks/ledger");
    fence.raise("ledger", 35);

    assertThatThrownBy(() -> fence.raise("ledger", 999, "redis:ledger"))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("/locks/ledger", "redis:ledger", "999");
    assertThat(fence.raise("ledger", 36, "/locks/ledger").token()).isEqualTo(36);

    FencedResource moved =
        JdbcFence.builder(dataSource).generation(1).build().raise("ledger", 1, "redis:ledger");
    assertThat(moved.token()).isEqualTo(1);
    assertThat(fence.current("ledger").orElseThrow().origin()).isEqualTo("redis:ledger");
  }

  @Test
  void aRetiredResourceRefusesEveryTokenAndGeneration() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    fence.retire("ledger");
    fence.retire("ledger");

    assertThatThrownBy(() -> ledger.update(ADD, 5, 1))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("is retired");
    JdbcFence last = JdbcFence.builder(dataSource).generation(Long.MAX_VALUE - 1).build();
    assertThatThrownBy(() -> last.raise("ledger", Long.MAX_VALUE))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("is retired");
    assertThat(fence.current("ledger").orElseThrow().retired()).isTrue();
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aRaisedGenerationIsNamedWithBothPairsAndThePage() {
    FencedResource before = fence.raise("ledger", 33);
    JdbcFence.builder(dataSource).generation(1).build().raise("ledger", 4);

    assertThatThrownBy(() -> before.update(ADD, 5, 1))
        .hasMessageContainingAll(
            "33 of generation 0", "4 of generation 1", "docs/rebuilt-ensemble.md");
    assertThatThrownBy(() -> fence.raise("ledger", 34))
        .hasMessageContainingAll(
            "34 of generation 0", "4 of generation 1", "docs/rebuilt-ensemble.md");
  }

  // Observing and listening

  @Test
  void listenersHearWhatTheFencesDecide() {
    JdbcFence told = JdbcFence.builder(dataSource).listener(listener).build();
    FencedResource old = told.raise("ledger", 33);
    old.inTransaction(c -> 0);
    told.raise("ledger", 34);
    assertThatThrownBy(() -> old.inTransaction(c -> 0)).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> told.raise("ledger", 1)).isInstanceOf(StaleTokenException.class);

    assertThat(heard)
        .containsExactly(
            "raised ledger 33",
            "accepted ledger 33",
            "raised ledger 34",
            "refused ledger StaleTokenException false",
            "refused ledger StaleTokenException false");
  }

  @Test
  void whatIsOnlyObservedIsReportedAndNotRefused() throws SQLException {
    JdbcFence observing =
        JdbcFence.builder(dataSource)
            .observeOnly(resource -> resource.equals("ledger"))
            .listener(listener)
            .build();
    FencedResource old = observing.raise("ledger", 33);
    fence.raise("ledger", 34);

    old.inTransaction(c -> FenceContract.addToBalance(c, 5));
    assertThat(old.update(ADD, 5, 1)).isEqualTo(1);
    FencedResource late = observing.raise("ledger", 20);
    late.inTransaction(c -> FenceContract.addToBalance(c, 5));

    assertThat(balance()).isEqualTo(115);
    assertThat(heard)
        .contains("raised ledger 33", "refused ledger StaleTokenException true")
        .as("a raise that was refused did not win")
        .doesNotContain("raised ledger 20")
        .filteredOn(event -> event.startsWith("refused"))
        .hasSize(4);
    assertThat(fence.current("ledger").orElseThrow().token()).as("never lowered").isEqualTo(34);
    FencedResource enforced = observing.raise("stock", 33);
    fence.raise("stock", 34);
    assertThatThrownBy(() -> enforced.update(ADD, 5, 1)).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aRaiseThatIsOnlyObservedGoesOnWhenItIsKeptWaiting() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    JdbcFence observing =
        JdbcFence.builder(dataSource)
            .raiseTimeout(Duration.ofMillis(100))
            .observeOnly(resource -> true)
            .listener(listener)
            .build();

    old.inTransaction(
        c -> {
          try (var other = dataSource.getConnection()) { // The observer's work meanwhile.
            FencedResource observed = observing.raise("ledger", 34);
            assertThat(observed.isUsable()).isTrue();
            return Sql.number(other, "SELECT 1");
          }
        });

    assertThat(heard).containsExactly("busy ledger true");
  }
}
