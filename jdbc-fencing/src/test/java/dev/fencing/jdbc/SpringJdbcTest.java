package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Fault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's JdbcTemplate and transactions, which throw a refusal as it is. */
@ParameterizedClass(name = "autocommit of the pool: {0}")
@ValueSource(booleans = {true, false})
class SpringJdbcTest extends MapperTest {

  private static final String SET = "UPDATE account SET balance = ? WHERE id = ?";

  private final JdbcTemplate template;
  private final DataSourceTransactionManager manager;
  private final TransactionTemplate transaction;

  SpringJdbcTest(boolean autoCommit) {
    super(autoCommit);
    template = new JdbcTemplate(stack.fenced);
    manager = new DataSourceTransactionManager(stack.fenced);
    transaction = new TransactionTemplate(manager);
  }

  @Test
  void holdsFollowEachOtherAndAStaleOneIsRefused() throws SQLException {
    FencedResource old = hold(33);
    old.call(hold -> transact(5));
    FencedResource current = hold(34);

    assertThatThrownBy(() -> old.call(hold -> transact(6))).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> old.call(hold -> template.update(SET, 6, 1)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(5);
    current.call(hold -> transact(7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aRefusalThatTheWorkSwallowsCannotBeCommitted() throws SQLException {
    FencedResource old = hold(33);
    hold(34);
    assertThatThrownBy(
            () ->
                old.call(
                    hold ->
                        transaction.execute(
                            status -> {
                              assertThatThrownBy(() -> template.update(SET, 6, 1))
                                  .isInstanceOf(StaleTokenException.class);
                              return 0;
                            })))
        .isInstanceOf(FencingException.class)
        .hasCauseInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void withoutATransactionEveryStatementIsOneWhereAutocommitIsOn() throws SQLException {
    FencedResource ledger = hold(33);
    ledger.call(
        hold -> {
          GeneratedKeyHolder keys = new GeneratedKeyHolder();
          template.update(
              connection ->
                  connection.prepareStatement(
                      "INSERT INTO journal (entry) VALUES ('an entry')", new String[] {"id"}),
              keys);
          assertThat(keys.getKey()).isEqualTo(1L);
          template.batchUpdate(SET, List.of(new Object[] {5, 1}, new Object[] {6, 2}));
          try (Stream<Long> all =
              template.queryForStream(
                  "SELECT id FROM account", (results, row) -> results.getLong(1))) {
            assertThat(all.count()).isEqualTo(3);
          }
          return 0;
        });
    // With autocommit off nobody commits, as without a fence.
    assertThat(balance(2)).isEqualTo(autoCommit ? 6 : 200);
  }

  @Test
  void rowsAreStreamedInATransaction() {
    FencedResource ledger = hold(33);
    Long rows =
        ledger.call(
            hold ->
                transaction.execute(
                    status -> {
                      JdbcTemplate streaming = new JdbcTemplate(stack.fenced);
                      streaming.setFetchSize(1);
                      try (Stream<Long> all =
                          streaming.queryForStream(
                              "SELECT id FROM account", (results, row) -> results.getLong(1))) {
                        return all.count();
                      }
                    }));
    assertThat(rows).isEqualTo(3);
  }

  @Test
  void aReadOnlyTransactionIsNotCheckedAndWritesNothing() throws SQLException {
    FencedResource old = hold(33);
    hold(34);
    TransactionTemplate reading = new TransactionTemplate(manager);
    reading.setReadOnly(true);
    reading.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

    List<Long> read =
        old.call(
            hold ->
                reading.execute(
                    status ->
                        template.queryForList(
                            "SELECT balance FROM account WHERE id = 1", Long.class)));

    assertThat(read).containsExactly(100L);
    assertThatThrownBy(
            () -> old.call(hold -> reading.execute(status -> template.update(SET, 5, 1))))
        .rootCause()
        .hasMessageContaining("read-only");
    assertThatThrownBy(() -> old.call(hold -> transact(6))).isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aNestedTransactionIsASavepointBehindTheCheck() throws SQLException {
    FencedResource ledger = hold(33);
    TransactionTemplate nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    ledger.call(
        hold ->
            transaction.execute(
                status -> {
                  template.update(SET, 5, 1);
                  nested.executeWithoutResult(
                      inner -> {
                        template.update(SET, 6, 2);
                        inner.setRollbackOnly();
                      });
                  return template.update(SET, 7, 3);
                }));
    assertThat(List.of(balance(1), balance(2), balance(3))).containsExactly(5L, 200L, 7L);
  }

  @Test
  void aTransactionInATransactionIsCheckedOnAConnectionOfItsOwn() throws SQLException {
    FencedResource ledger = hold(33);
    TransactionTemplate apart = new TransactionTemplate(manager);
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    ledger.call(
        hold ->
            transaction.execute(
                status -> {
                  template.update(SET, 5, 1);
                  apart.execute(inner -> template.update(SET, 6, 2));
                  status.setRollbackOnly();
                  return 0;
                }));
    assertThat(List.of(balance(1), balance(2))).containsExactly(100L, 6L);
  }

  @Test
  void aRaiseWaitsForATransactionThatIsCommittedAfterItsHold() throws Exception {
    FencedResource old = hold(33);
    CompletableFuture<Long> successor =
        transaction.execute(
            status -> {
              old.call(hold -> template.update(SET, 5, 1)); // The lock is released here.
              CompletableFuture<Long> next =
                  Background.start(
                      () -> fence.raise("ledger", 34).inTransaction(connection -> balance()));
              sql.awaitLockWaits(1);
              assertThat(next).isNotDone();
              return next;
            });
    assertThat(successor.get()).as("read by the next holder").isEqualTo(5);
  }

  @Test
  void aLostAnswerToCommitIsNotHiddenByTheRollbackThatFollows() throws Exception {
    FencedResource ledger = hold(33);
    stack.pool.getHikariPoolMXBean().softEvictConnections(); // A new one sends COMMIT as text.
    Fault lost = stack.proxy.dropReplyTo("COMMIT\0");

    assertThatThrownBy(() -> ledger.call(hold -> transact(5)))
        .isInstanceOf(UnknownOutcomeException.class);

    lost.await(Duration.ofSeconds(30));
    FencedResource renewed = ledger.renew();
    assertThat(balance()).isEqualTo(5);
    renewed.call(hold -> transact(6));
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void proxiesOfSpringAboveIt() throws SQLException {
    FencedResource old = hold(33);
    JdbcTemplate joining = new JdbcTemplate(new TransactionAwareDataSourceProxy(stack.fenced));
    LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(stack.fenced);
    JdbcTemplate lazily = new JdbcTemplate(lazy);
    TransactionTemplate lazyTransaction =
        new TransactionTemplate(new DataSourceTransactionManager(lazy));
    old.call(
        hold -> {
          transaction.executeWithoutResult(
              status -> {
                template.update(SET, 5, 1);
                joining.update(SET, 6, 2);
              });
          return lazyTransaction.execute(status -> lazily.update(SET, 7, 3));
        });
    assertThat(List.of(balance(1), balance(2), balance(3))).containsExactly(5L, 6L, 7L);
    hold(34);
    assertThatThrownBy(
            () -> old.call(hold -> lazyTransaction.execute(status -> lazily.update(SET, 8, 3))))
        .isInstanceOf(StaleTokenException.class);
    lazyTransaction.executeWithoutResult(status -> {}); // Takes no connection at all.
  }

  @Test
  void itGoesToTheServerOnceMoreUnderAHoldAndNotOnceMoreWithoutOne() throws Exception {
    assertThat(roundTrips(() -> transact(5))).isEqualTo(3); // read, write, commit
    FencedResource ledger = hold(33);
    assertThat(ledger.<Long, Exception>call(hold -> roundTrips(() -> transact(6)))).isEqualTo(4);
  }

  private Integer transact(long balance) {
    return transaction.execute(
        status -> {
          template.queryForObject("SELECT balance FROM account WHERE id = 1", Long.class);
          return template.update(SET, balance, 1);
        });
  }
}
