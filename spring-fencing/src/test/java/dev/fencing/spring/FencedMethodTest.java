package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fencing.jdbc.FenceState;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.LeaseUnavailableException;
import dev.fencing.jdbc.StaleTokenException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code @Fenced} with Spring's own transactions on real servers. */
class FencedMethodTest extends SpringTest {

  static class Ledger {
    final JdbcTemplate jdbc;
    final Inner inner;

    Ledger(JdbcTemplate jdbc, Inner inner) {
      this.jdbc = jdbc;
      this.inner = inner;
    }

    @Fenced("ledger")
    @Transactional
    public long increment(Runnable beforeCommit) {
      long balance = Servers.balance(1);
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              beforeCommit.run();
            }
          });
      jdbc.update("UPDATE account SET balance = ? WHERE id = 1", balance + 1);
      return FencedHold.current().token();
    }

    @Fenced("ledger")
    @Transactional
    public void writeAndRun(Runnable then) {
      jdbc.update("UPDATE account SET balance = 1 WHERE id = 1");
      then.run();
    }

    @Fenced("ledger")
    @Transactional
    public void runAndWrite(Runnable before) {
      before.run();
      jdbc.update("UPDATE account SET balance = 1 WHERE id = 1");
    }

    @Fenced("ledger")
    public void withoutTransactional(boolean fail) throws IOException {
      assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
      jdbc.update("UPDATE account SET balance = 1 WHERE id = 1");
      if (fail) {
        throw new IOException("the work failed");
      }
    }

    @Fenced("ledger")
    @Transactional(noRollbackFor = RuntimeException.class)
    public void swallow(Runnable before) {
      before.run();
      assertThatThrownBy(() -> jdbc.update("UPDATE account SET balance = 1 WHERE id = 1"))
          .isInstanceOf(StaleTokenException.class);
      assertThatThrownBy(() -> inner.nested()).isInstanceOf(RuntimeException.class);
    }

    @Fenced("ledger")
    @Transactional
    public String swallowOfAnother(Runnable before) {
      before.run();
      assertThatThrownBy(() -> inner.joins()).isInstanceOf(StaleTokenException.class);
      return "done";
    }

    @Fenced("ledger")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public boolean requiresNew(Runnable before) {
      return write(before);
    }

    @Fenced("ledger")
    @Transactional(propagation = Propagation.NESTED)
    public boolean nestedInNothing(Runnable before) {
      return write(before);
    }

    @Fenced("ledger")
    @Transactional(propagation = Propagation.SUPPORTS)
    public boolean supports(Runnable before) {
      return write(before);
    }

    @Fenced("ledger")
    @Transactional(propagation = Propagation.NEVER)
    public boolean never(Runnable before) {
      return write(before);
    }

    @Fenced("ledger")
    @Transactional(propagation = Propagation.MANDATORY)
    public boolean mandatory(Runnable before) {
      return write(before);
    }

    /** Says whether it was in a transaction. */
    private boolean write(Runnable before) {
      before.run();
      jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
      return TransactionSynchronizationManager.isActualTransactionActive();
    }

    @Fenced("ledger")
    @Transactional
    public long nested() {
      jdbc.update("UPDATE account SET balance = 7 WHERE id = 1");
      return FencedHold.current().token() - inner.joins();
    }

    @Fenced("ledger")
    @Transactional
    public void other() {
      inner.other();
    }

    @Fenced("ledger")
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    public String otherWithoutTransaction() {
      return inner.other();
    }

    @Fenced("ledger")
    @Transactional
    public void apart() {
      jdbc.update("UPDATE account SET balance = 7 WHERE id = 1");
      inner.apart();
      throw new IllegalStateException("the outer one fails");
    }

    @Fenced({"account/#{#to}", "account/#{#from}"})
    public List<String> transfer(int from, int to) {
      FencedHold hold = FencedHold.current();
      jdbc.update("UPDATE account SET balance = balance - 1 WHERE id = ?", from);
      jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = ?", to);
      return List.of(hold.resource(), hold.lockPath());
    }

    @Fenced({"ledger", "other"})
    public Map<String, Long> tokens() {
      assertThatThrownBy(() -> FencedHold.current("neither"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no hold of \"neither\"")
          .hasMessageContaining("ledger")
          .hasMessageContaining("other");
      return Map.of(
          "ledger", FencedHold.current("ledger").token(),
          "other", FencedHold.current("other").token());
    }

    @Fenced(value = "ledger", waitTime = "0s")
    public void withoutWaiting() {}
  }

  static class Inner {
    final JdbcTemplate jdbc;

    Inner(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("ledger")
    @Transactional
    public long joins() {
      jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
      return FencedHold.current().token();
    }

    @Fenced("other")
    public String other() {
      return FencedHold.current().resource();
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void apart() {
      jdbc.update("UPDATE account SET balance = 8 WHERE id = 2");
    }

    @Transactional(propagation = Propagation.NESTED)
    public void nested() {
      jdbc.update("UPDATE account SET balance = 8 WHERE id = 2");
    }
  }

  private ConfigurableApplicationContext context;
  private Ledger ledger;

  @BeforeEach
  void start() {
    context = shared(Ledger.class, Inner.class);
    ledger = context.getBean(Ledger.class);
  }

  @Test
  void theLockIsReleasedAfterTheCommitSoThatTheNextHolderReadsIt() throws Exception {
    CountDownLatch committing = new CountDownLatch(1);
    CountDownLatch mayCommit = new CountDownLatch(1);
    CompletableFuture<Long> first =
        inBackground(
            () ->
                ledger.increment(
                    () -> {
                      committing.countDown();
                      pass(mayCommit);
                    }));
    pass(committing);
    CompletableFuture<Long> second = inBackground(() -> ledger.increment(() -> {}));
    await().atMost(LONG).until(() -> contenders(context, "ledger") == 2);
    assertThat(second).isNotDone();
    mayCommit.countDown();

    assertThat(second.get(60, TimeUnit.SECONDS)).isGreaterThan(first.get());
    assertThat(Servers.balance(1)).isEqualTo(102);
    assertThat(contenders(context, "ledger")).isZero();
  }

  @Test
  void theLockIsHeldUntilTheRollbackIsDone() {
    List<Integer> contenders = new ArrayList<>();
    assertThatThrownBy(
            () ->
                ledger.writeAndRun(
                    () -> {
                      TransactionSynchronizationManager.registerSynchronization(
                          new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int status) {
                              assertThat(status).isEqualTo(STATUS_ROLLED_BACK);
                              contenders.add(contenders(context, "ledger"));
                            }
                          });
                      throw new UnsupportedOperationException("the work failed");
                    }))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(contenders).containsExactly(1);
    assertThat(contenders(context, "ledger")).isZero();
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Test
  void insideATransactionItThrowsAndSaysWhatToWrite() {
    TransactionTemplate transaction =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    assertThatThrownBy(() -> transaction.executeWithoutResult(status -> ledger.increment(() -> {})))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"ledger\" is to be locked inside the active transaction")
        .hasMessageContaining("Put @Fenced(\"ledger\") on the method that begins the transaction");
    assertThat(contenders(context, "ledger")).isZero();
  }

  @Test
  void aloneItRunsInATransactionThatEveryExceptionRollsBack() throws Exception {
    assertThatThrownBy(() -> ledger.withoutTransactional(true))
        .isInstanceOf(IOException.class)
        .hasMessage("the work failed");
    assertThat(Servers.balance(1)).isEqualTo(100);
    ledger.withoutTransactional(false);
    assertThat(Servers.balance(1)).isEqualTo(1);
  }

  @Test
  void anOvertakenHolderGetsTheRefusalWithBothTokensAndNothingIsWritten() {
    assertThatThrownBy(() -> ledger.runAndWrite(() -> Servers.overtake(fence(context), "ledger")))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            stale -> {
              assertThat(stale.resource()).isEqualTo("ledger");
              assertThat(stale.storedToken()).isEqualTo(stale.presentedToken() + 1);
            })
        .isNotInstanceOf(TransientDataAccessException.class);
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Test
  void aRefusalThatIsSwallowedCannotBeCommittedWithAnyRollbackRule() {
    assertThatThrownBy(() -> ledger.swallow(() -> Servers.overtake(fence(context), "ledger")))
        .isInstanceOf(FencingException.class)
        .hasCauseInstanceOf(StaleTokenException.class);
    assertThat(List.of(Servers.balance(1), Servers.balance(2))).containsExactly(100L, 200L);
  }

  @Test
  void aRefusalThatIsSwallowedOnTheWayIsNamedAllTheSame() {
    assertThatThrownBy(
            () -> ledger.swallowOfAnother(() -> Servers.overtake(fence(context), "ledger")))
        .isInstanceOf(StaleTokenException.class)
        .satisfies(
            stale ->
                assertThat(stale.getSuppressed())
                    .singleElement()
                    .isInstanceOf(UnexpectedRollbackException.class));
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Test
  void everyPropagationIsCheckedWithATransactionOrWithout() {
    List<Predicate<Runnable>> withOne = List.of(ledger::requiresNew, ledger::nestedInNothing);
    List<Predicate<Runnable>> without = List.of(ledger::supports, ledger::never);
    withOne.forEach(call -> assertThat(call.test(() -> {})).isTrue());
    without.forEach(call -> assertThat(call.test(() -> {})).isFalse());
    assertThat(Servers.balance(1)).isEqualTo(104);
    Stream.concat(withOne.stream(), without.stream())
        .forEach(
            call ->
                assertThatThrownBy(
                        () -> call.test(() -> Servers.overtake(fence(context), "ledger")))
                    .isInstanceOf(StaleTokenException.class));
    assertThatThrownBy(() -> ledger.mandatory(() -> {}))
        .isInstanceOf(IllegalTransactionStateException.class);
    assertThat(Servers.balance(1)).isEqualTo(104);
    assertThat(contenders(context, "ledger")).isZero();
  }

  @Test
  void inAnUnfencedScopeWithoutATransactionOnlyWhatIsUnderTheHoldIsChecked() {
    TransactionTemplate scope =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
    String add = "UPDATE account SET balance = balance + 1 WHERE id = 1";
    FencedTemplate template = context.getBean(FencedTemplate.class);
    scope.executeWithoutResult(
        status -> {
          jdbc.update(add); // Keeps its connection until the scope ends.
          assertThatThrownBy(
                  () ->
                      template.run(
                          "ledger",
                          hold -> {
                            Servers.overtake(fence(context), "ledger");
                            return jdbc.update(add);
                          }))
              .isInstanceOf(StaleTokenException.class);
          template.run("ledger", hold -> jdbc.update(add));
          jdbc.update(add);
        });
    assertThat(Servers.balance(1)).isEqualTo(103);
  }

  @Test
  void aNestedCallForTheSameResourceJoinsTheHoldAndTheTransaction() {
    assertThat(ledger.nested()).isZero();
    assertThat(Servers.balance(1)).isEqualTo(8);
  }

  @Test
  void aNestedCallForAnotherResourceIsRefusedInATransactionAndWorksWithoutOne() {
    assertThatThrownBy(() -> ledger.other())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"other\" is to be locked inside the active transaction")
        .hasMessageContaining("several resources go into one annotation");
    assertThat(ledger.otherWithoutTransaction()).isEqualTo("other");
  }

  @Test
  void aTransactionOfItsOwnInsideIsUnderTheSameHold() {
    assertThatThrownBy(() -> ledger.apart()).hasMessage("the outer one fails");
    assertThat(List.of(Servers.balance(1), Servers.balance(2))).containsExactly(100L, 8L);
  }

  @Test
  void severalResourcesAreLockedInTheOrderOfTheirNamesAndAllChecked() {
    assertThat(ledger.transfer(2, 1)).containsExactly("account/2", "/fencing/account/2");
    assertThat(ledger.transfer(1, 2)).containsExactly("account/2", "/fencing/account/2");
    assertThat(ledger.transfer(1, 1)).containsExactly("account/1", "/fencing/account/1");
    assertThat(fence(context).all())
        .extracting(FenceState::origin)
        .contains("/fencing/account/1", "/fencing/account/2");
  }

  @Test
  void theHoldOfEachOfSeveralResourcesIsFoundByItsName() {
    ledger.tokens();
    Map<String, Long> tokens = ledger.tokens();

    assertThat(tokens.get("ledger")).isLessThan(tokens.get("other"));
    tokens.forEach(
        (resource, token) ->
            assertThat(fence(context).current(resource))
                .as(resource)
                .map(FenceState::token)
                .contains(token));
    assertThatThrownBy(() -> FencedHold.current("ledger"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("none at all");
  }

  @Test
  void aBusyLockIsSaidAsItself() throws Exception {
    CountDownLatch holding = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<Long> holder =
        inBackground(
            () ->
                ledger.increment(
                    () -> {
                      holding.countDown();
                      pass(mayEnd);
                    }));
    pass(holding);
    assertThatThrownBy(() -> ledger.withoutWaiting())
        .isInstanceOf(LeaseUnavailableException.class)
        .hasMessageContaining("/fencing/ledger was busy for 0 s");
    mayEnd.countDown();
    holder.get(60, TimeUnit.SECONDS);
  }
}
