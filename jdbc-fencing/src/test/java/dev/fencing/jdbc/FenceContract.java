package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a fence does on every database; a subclass names the database. */
abstract class FenceContract extends DatabaseTest {

  @Test
  void aNewHolderRaisesTheFenceAndWrites() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    int written = ledger.inTransaction(c -> setBalance(c, 150));

    assertThat(written).isEqualTo(1);
    assertThat(balance()).isEqualTo(150);
    assertThat(ledger.token()).isEqualTo(33);
    assertThat(ledger.resource()).isEqualTo("ledger");
    assertThat(sql.number("SELECT token FROM fence WHERE resource = 'ledger'")).isEqualTo(33);
  }

  @Test
  void aHolderWritesAsOftenAsItLikesUnderOneToken() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    ledger.inTransaction(c -> setBalance(c, 1));
    ledger.inTransaction(c -> setBalance(c, 2));

    assertThat(balance()).isEqualTo(2);
  }

  @Test
  void anOlderHolderIsRefusedWithBothTokensAndWritesNothing() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    old.inTransaction(c -> setBalance(c, 1));
    fence.raise("ledger", 34).inTransaction(c -> setBalance(c, 2));

    StaleTokenException stale =
        catchThrowableOfType(
            StaleTokenException.class, () -> old.inTransaction(c -> setBalance(c, 3)));

    assertThat(stale).hasMessageContainingAll("\"ledger\"", "33", "34", "pid ");
    assertThat(stale.resource()).isEqualTo("ledger");
    assertThat(stale.presentedToken()).isEqualTo(33);
    assertThat(stale.storedToken()).isEqualTo(34);
    assertThat(balance()).isEqualTo(2);
    assertThat(old.isUsable()).isFalse();
  }

  @Test
  void aDeadHandleStaysDeadAndRunsNoWork() {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    assertThatThrownBy(() -> old.inTransaction(c -> 0)).isInstanceOf(StaleTokenException.class);

    assertThatThrownBy(
            () ->
                old.inTransaction(
                    c -> {
                      throw new AssertionError("the work ran");
                    }))
        .isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(old::renew).isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aLowerTokenCannotBeRaised() throws SQLException {
    fence.raise("ledger", Long.MAX_VALUE - 1);

    assertThatThrownBy(() -> fence.raise("ledger", 0x1_0000_0004L))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContainingAll("4294967300", "9223372036854775806", "generation");
    assertThat(sql.number("SELECT token FROM fence")).isEqualTo(Long.MAX_VALUE - 1);
  }

  @Test
  void oneTokenIsRaisedIntoOneHandleOnly() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(() -> fence.raise("ledger", 33))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("raised before");

    ledger.inTransaction(c -> setBalance(c, 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aHigherGenerationWinsOverAHigherToken() {
    FencedResource before = fence.raise("ledger", 1_000);

    FencedResource rebuilt = JdbcFence.builder(dataSource).generation(1).build().raise("ledger", 4);

    assertAccepted(rebuilt);
    assertThatThrownBy(() -> assertAccepted(before))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("4 of generation 1");
  }

  @Test
  void resourcesDoNotFenceEachOther() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    fence.raise("stock", 34);

    ledger.inTransaction(c -> setBalance(c, 5));

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void namesThatLookAlikeAreDifferentResources() {
    List<FencedResource> handles =
        Stream.of("a", "A", "a ", "ä", "á", "ss", "ß", "💰", "💳")
            .map(name -> fence.raise(name, 33))
            .toList();

    handles.forEach(FenceContract::assertAccepted);
  }

  @Test
  void aDeletedFenceRowIsAnErrorAndIsNotCreatedAgain() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    sql.run("DELETE FROM fence");

    assertThatThrownBy(() -> ledger.inTransaction(c -> setBalance(c, 5)))
        .isInstanceOf(FenceMissingException.class)
        .hasMessageContainingAll("\"ledger\"", "33");

    assertThat(balance()).isEqualTo(100);
    assertThat(sql.number("SELECT count(*) FROM fence")).isZero();
  }

  @Test
  void aFenceThatFellBelowTheHandlesOwnRaiseRefusesForGood() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    sql.run("UPDATE fence SET token = 32");

    assertThatThrownBy(() -> ledger.inTransaction(c -> setBalance(c, 5)))
        .isInstanceOf(FenceMissingException.class)
        .hasMessageContainingAll("32", "33", "lost");

    sql.run("UPDATE fence SET token = 33");
    assertThatThrownBy(() -> ledger.inTransaction(c -> setBalance(c, 5)))
        .isInstanceOf(FenceMissingException.class);
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aStaleWriteBetweenRaiseAndReadIsRefused() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    FencedResource current = fence.raise("ledger", 34);

    assertThatThrownBy(() -> old.inTransaction(c -> addToBalance(c, 5)))
        .isInstanceOf(StaleTokenException.class);
    long read = current.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    current.inTransaction(c -> setBalance(c, read + 1));

    assertThat(balance()).isEqualTo(101);
  }

  @Test
  void withoutTheRaiseTheSameWriteIsAcceptedAndLost() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);

    // The new holder reads first and raises later: the update that the raise prevents from being
    // lost is accepted in between, and lost.
    long read = balance();
    old.inTransaction(c -> addToBalance(c, 5));
    FencedResource current = fence.raise("ledger", 34);
    current.inTransaction(c -> setBalance(c, read + 1));

    assertThat(balance()).as("the accepted +5 is gone").isEqualTo(101);
  }

  @Test
  void aRaiseWaitsForATransactionThatHasPassedTheCheck() throws Exception {
    FencedResource old = fence.raise("ledger", 33);
    CountDownLatch checked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Integer> write =
        Background.start(
            () ->
                old.inTransaction(
                    c -> {
                      checked.countDown();
                      goOn.await();
                      return setBalance(c, 5);
                    }));
    checked.await();

    CompletableFuture<FencedResource> raise = Background.start(() -> fence.raise("ledger", 34));
    awaitLockWait();
    assertThat(raise).isNotDone();
    goOn.countDown();

    long read =
        raise
            .get(30, TimeUnit.SECONDS)
            .inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    assertThat(write.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(read).as("the new holder reads what the old one committed").isEqualTo(5);
  }

  @Test
  void transactionsOfOneHolderRunSideBySide() throws Exception {
    assumeFalse(sql.server() == ServerSide.H2, "H2 has no shared row lock");
    FencedResource ledger = fence.raise("ledger", 33);
    CyclicBarrier allInside = new CyclicBarrier(4);

    List<CompletableFuture<Integer>> inside =
        IntStream.range(0, 4)
            .mapToObj(
                i ->
                    Background.start(
                        () -> ledger.inTransaction(c -> allInside.await(30, TimeUnit.SECONDS))))
            .toList();

    for (CompletableFuture<Integer> each : inside) {
      each.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void aRaiseThatCannotGetThroughIsBoundedAndNamesTheSessionInTheWay() throws Exception {
    FencedResource old = fence.raise("ledger", 33);
    JdbcFence impatient =
        JdbcFence.builder(dataSource).raiseTimeout(Duration.ofMillis(300)).build();
    try (Connection blocker = dataSource.getConnection()) {
      blocker.setAutoCommit(false);
      old.check(blocker);
      String session = Sql.text(blocker, sql.server().session);
      long start = System.nanoTime();

      assertThatThrownBy(() -> impatient.raise("ledger", 34))
          .isInstanceOf(FenceBusyException.class)
          .hasMessageContainingAll("300 ms", session);

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
      assertThat(setBalance(blocker, 5)).isEqualTo(1);
      blocker.commit();
    }
    assertThat(fence.raise("ledger", 34).token()).isEqualTo(34);
  }

  @Test
  void aRaiseBlockedByAForeignLockOnTheRowIsBoundedToo() throws Exception {
    fence.raise("ledger", 33);
    JdbcFence impatient =
        JdbcFence.builder(dataSource).raiseTimeout(Duration.ofMillis(300)).build();
    try (Connection blocker = dataSource.getConnection()) {
      blocker.setAutoCommit(false);
      String session = Sql.text(blocker, sql.server().session);
      Sql.execute(blocker, "SELECT * FROM fence FOR UPDATE");

      assertThatThrownBy(() -> impatient.raise("ledger", 34))
          .isInstanceOf(FenceBusyException.class)
          .hasMessageContaining(session);
      blocker.rollback();
    }
  }

  @Test
  void aCheckIsBoundedWhileARaiseIsInProgress() throws Exception {
    JdbcFence impatient =
        JdbcFence.builder(dataSource).checkTimeout(Duration.ofMillis(200)).build();
    FencedResource ledger = impatient.raise("ledger", 33);
    try (Connection blocker = dataSource.getConnection()) {
      blocker.setAutoCommit(false);
      Sql.execute(blocker, "SELECT * FROM fence FOR UPDATE");

      assertThatThrownBy(() -> assertAccepted(ledger)).isInstanceOf(FenceBusyException.class);
      blocker.rollback();
    }
    assertAccepted(fence.attach(ledger.toText()));
  }

  @Test
  void theFirstRaiseOfTwoAtTheSameMomentLeavesTheHighestToken() throws Exception {
    CyclicBarrier together = new CyclicBarrier(2);
    for (int round = 0; round < 20; round++) {
      String resource = "race-" + round;
      List<CompletableFuture<Optional<FencedResource>>> raises =
          List.of(33L, 34L).stream()
              .map(token -> Background.start(() -> raiseAt(together, resource, token)))
              .toList();
      Optional<FencedResource> lower = raises.get(0).get(30, TimeUnit.SECONDS);
      FencedResource higher = raises.get(1).get(30, TimeUnit.SECONDS).orElseThrow();

      assertAccepted(higher);
      if (lower.isPresent()) {
        assertThatThrownBy(() -> assertAccepted(lower.get()))
            .isInstanceOf(StaleTokenException.class);
      }
    }
    assertThat(sql.number("SELECT count(*) FROM fence WHERE token = 34")).isEqualTo(20);
  }

  private Optional<FencedResource> raiseAt(CyclicBarrier together, String resource, long token) {
    try {
      together.await(30, TimeUnit.SECONDS);
      return Optional.of(fence.raise(resource, token));
    } catch (StaleTokenException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCheckInTheCallersTransactionCoversItToTheCommit() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      ledger.check(connection);
      setBalance(connection, 5);
      connection.commit();
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aCheckInAutocommitModeIsRefused() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    try (Connection connection = dataSource.getConnection()) {
      assertThatThrownBy(() -> ledger.check(connection))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("autocommit", "setAutoCommit(false)");
    }
  }

  @Test
  void aRefusedCheckThatIsSwallowedCannotBeCommitted() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> old.check(connection)).isInstanceOf(StaleTokenException.class);

      assertThatThrownBy(() -> setBalance(connection, 5)).isInstanceOf(SQLException.class);
      commitIfOpen(connection);
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aRefusedCheckUndoesWhatWasWrittenBeforeIt() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      setBalance(connection, 5);
      assertThatThrownBy(() -> old.check(connection)).isInstanceOf(StaleTokenException.class);
      commitIfOpen(connection);
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aNestedCallOnTheSameHandleJoinsTheTransaction() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    outer -> {
                      ledger.inTransaction(
                          inner -> {
                            assertThat(inner).isSameAs(outer);
                            return setBalance(inner, 5);
                          });
                      throw new SQLException("the outer work fails");
                    }))
        .hasMessage("the outer work fails");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aNestedFailureThatIsSwallowedRollsTheWholeTransactionBack() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    outer -> {
                      setBalance(outer, 5);
                      try {
                        ledger.inTransaction(
                            inner -> {
                              throw new IllegalArgumentException("half done");
                            });
                      } catch (IllegalArgumentException swallowed) {
                        // As an application might.
                      }
                      return 0;
                    }))
        .isInstanceOf(FencingException.class)
        .hasMessageContaining("half done");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void theWorkCannotEndItsTransaction() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    Class<?> driver;
    try (Connection raw = dataSource.getConnection()) {
      driver = raw.getClass();
    }

    ledger.inTransaction(
        c -> {
          assertRefused(c::commit, "commit()");
          assertRefused(c::rollback, "rollback()");
          assertRefused(c::close, "close()");
          assertRefused(() -> c.setAutoCommit(true), "setAutoCommit()");
          assertRefused(() -> c.abort(Runnable::run), "abort()");
          assertRefused(() -> c.unwrap(driver), "unwrap()");
          assertThat(c.isWrapperFor(driver)).isFalse();
          assertThat(c.unwrap(Connection.class)).isSameAs(c);
          try (Statement statement = c.createStatement();
              ResultSet results = statement.executeQuery("SELECT 1")) {
            assertThat(statement.getConnection()).isSameAs(c);
            assertThat(results.getStatement()).isSameAs(statement);
            assertThat(c.getMetaData().getConnection()).isSameAs(c);
          }
          return setBalance(c, 5);
        });

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aConnectionThatLeaksOutOfTheWorkIsOfNoUse() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    PreparedStatement[] statement = new PreparedStatement[1];

    Connection leaked =
        ledger.inTransaction(
            c -> {
              statement[0] = c.prepareStatement("UPDATE account SET balance = 5");
              return c;
            });

    assertThat(leaked.isClosed()).isTrue();
    leaked.close();
    assertThatThrownBy(leaked::createStatement).hasMessageContaining("has ended");
    assertThatThrownBy(statement[0]::execute).hasMessageContaining("has ended");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void workThatThrowsIsRolledBackAndItsExceptionComesThrough() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    SQLException thrown = new SQLException("as it was");

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      setBalance(c, 5);
                      throw thrown;
                    }))
        .isSameAs(thrown)
        .hasNoSuppressedExceptions();
    assertThat(balance()).isEqualTo(100);
    assertThat(ledger.isUsable()).isTrue();
  }

  @Test
  void anErrorThatWasRolledBackToASavepointDoesNotHinderTheCommit() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    ledger.inTransaction(
        c -> {
          setBalance(c, 5);
          Savepoint before = c.setSavepoint();
          assertThatThrownBy(() -> Sql.execute(c, "INSERT INTO account VALUES (1, 0)"))
              .isInstanceOf(SQLException.class);
          c.rollback(before);
          return 0;
        });

    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aConnectionThatBreaksInTheWorkIsAKnownRollback() throws SQLException {
    assumeFalse(sql.server() == ServerSide.H2, "a session of H2 cannot end itself");
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    c -> {
                      setBalance(c, 5);
                      return Sql.execute(c, sql.server().suicide);
                    }))
        .isInstanceOf(SQLException.class);

    assertThat(ledger.isUsable()).isTrue();
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aRaiseInsideOnesOwnFencedTransactionFailsAtOnce() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    ledger.inTransaction(
        c -> {
          assertThatThrownBy(() -> fence.raise("ledger", 34))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("would wait for that transaction");
          return setBalance(c, 5);
        });

    assertThat(balance()).isEqualTo(5);
    assertThat(fence.raise("ledger", 34).token()).isEqualTo(34);
  }

  @Test
  void aStatementThatIsUnderWayOnAnotherThreadEndsBeforeTheTransaction() throws Exception {
    FencedResource ledger = fence.raise("ledger", 33);
    List<CompletableFuture<Integer>> late = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      CountDownLatch started = new CountDownLatch(1);
      ledger.inTransaction(
          c -> {
            late.add(
                Background.start(
                    () -> {
                      started.countDown();
                      while (true) {
                        Sql.execute(c, "UPDATE account SET balance = -1 WHERE id = 1");
                      }
                    }));
            started.await();
            return 0;
          });
      // What landed was part of the checked transaction; what came later was refused.
      fence.raise("round", round + 1);
    }
    fence.raise("ledger", 34).inTransaction(c -> setBalance(c, 5));
    for (CompletableFuture<Integer> each : late) {
      assertThatThrownBy(() -> each.get(30, TimeUnit.SECONDS)).hasMessageContaining("has ended");
    }
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void aUsableHandleMayBeRenewedAfterALostCommitOfTheCallersOwn() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    FencedResource renewed = ledger.renew();

    assertAccepted(renewed);
    assertThatThrownBy(() -> assertAccepted(ledger)).isInstanceOf(StaleTokenException.class);
  }

  static void awaitLockWaits(Sql sql, int sessions) {
    sql.awaitLockWaits(sessions);
  }

  /** Where nothing can be aborted, the refusal has closed the connection. */
  private static void commitIfOpen(Connection connection) throws SQLException {
    if (!connection.isClosed()) {
      connection.commit();
    }
  }

  private void awaitLockWait() {
    awaitLockWaits(sql, 1);
  }

  private static void assertAccepted(FencedResource resource) {
    long token = resource.inTransaction(c -> resource.token());
    assertThat(token).isEqualTo(resource.token());
  }

  private static void assertRefused(Action action, String what) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("2D000"))
        .hasMessageContaining(what);
  }

  private interface Action {
    void run() throws Exception;
  }

  static int setBalance(Connection connection, long balance) throws SQLException {
    return Sql.execute(connection, "UPDATE account SET balance = " + balance + " WHERE id = 1");
  }

  static int addToBalance(Connection connection, long amount) throws SQLException {
    return Sql.execute(
        connection, "UPDATE account SET balance = balance + " + amount + " WHERE id = 1");
  }
}
