package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.OperationOutcome.AlreadyApplied;
import dev.fencing.jdbc.OperationOutcome.Applied;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Operations and single statements whose COMMIT gets no answer, made on the wire. */
class LostOperationTest extends PostgresTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String COMMIT = "COMMIT\0";
  private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";

  private final AtomicLong tokens = new AtomicLong(33);
  private final AtomicInteger holds = new AtomicInteger();

  /** A lock that grants at once; what is tested is what is done under it. */
  private final class Lease implements AutoCloseable {
    private final long token = tokens.getAndIncrement();

    Lease() {
      holds.incrementAndGet();
    }

    @Override
    public void close() {}
  }

  private TcpProxy proxy;
  private JdbcFence proxied;
  private FencedRunner runner;

  @BeforeEach
  void startProxy() throws IOException {
    proxy = TcpProxy.to(SERVER.port());
    proxied = JdbcFence.of(SERVER.dataSource(proxy.port()));
    runner = FencedRunner.of(proxied, "ledger", Lease::new, lease -> lease.token);
    runner.run(FencedResource::token); // The first raise looks at the tables, too.
  }

  @AfterEach
  void stopProxy() throws IOException {
    proxy.close();
  }

  @Test
  void aRetryAppliesOnceWhatALostCommitHadApplied() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OperationOutcome<Integer> outcome =
        runner.inTransaction(
            "pay-1",
            LONG,
            c -> {
              runs.incrementAndGet();
              int written = FenceContract.addToBalance(c, 5);
              proxy.dropReplyTo(COMMIT);
              return written;
            });

    assertThat(outcome).isEqualTo(new AlreadyApplied<Integer>(0, 34));
    assertThat(runs).hasValue(1);
    assertThat(balance()).isEqualTo(105);
    assertThat(holds).as("renewed under the same lock").hasValue(2);
  }

  @Test
  void aRetryAppliesOnceWhatALostCommitHadNotApplied() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<OperationOutcome<Integer>> outcome =
        Background.start(
            () ->
                runner.inTransaction(
                    "pay-1",
                    LONG,
                    c -> {
                      int written = FenceContract.addToBalance(c, 5);
                      if (runs.incrementAndGet() == 1) {
                        Fault inFlight = proxy.hold(COMMIT);
                        var unused =
                            Background.start(
                                () -> {
                                  inFlight.await(LONG);
                                  inFlight.drop();
                                  return 0;
                                });
                      }
                      return written;
                    }));

    assertThat(outcome.get(60, TimeUnit.SECONDS)).isEqualTo(new Applied<>(1));
    assertThat(runs).hasValue(2);
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void aNewerHolderInBetweenMakesTheRetryAcquireAnew() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OperationOutcome<Integer> outcome =
        runner.inTransaction(
            "pay-1",
            LONG,
            c -> {
              int written = FenceContract.addToBalance(c, 5);
              if (runs.incrementAndGet() == 1) {
                Fault lost = proxy.dropReplyTo(COMMIT);
                var unused =
                    Background.start(
                        () -> {
                          lost.await(LONG);
                          return fence.raise("ledger", tokens.getAndIncrement());
                        });
              }
              return written;
            });

    assertThat(outcome).isEqualTo(new AlreadyApplied<Integer>(0, 34));
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void anOutcomeThatIsStillUnknownAtTheDeadlineIsThrownWithWhatCameAfterIt() throws Exception {
    UnknownOutcomeException unknown =
        catchThrowableOfType(
            UnknownOutcomeException.class,
            () ->
                runner.inTransaction(
                    "pay-1",
                    Duration.ZERO,
                    c -> {
                      int written = FenceContract.addToBalance(c, 5);
                      proxy.dropReplyTo(COMMIT);
                      return written;
                    }));

    assertThat(unknown).isNotNull();
    assertThat(runner.inTransaction("pay-1", Duration.ZERO, c -> FenceContract.addToBalance(c, 5)))
        .isInstanceOf(AlreadyApplied.class);
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void aRefusedRunAcquiresAnewUntilTheDeadline() {
    fence.raise("ledger", 35);

    assertThat(runner.inTransaction("pay-1", LONG, c -> 7)).isEqualTo(new Applied<>(7));
    assertThat(holds).as("the first run, 34, 35 and 36").hasValue(4);

    fence.raise("ledger", 1_000);
    assertThatThrownBy(() -> runner.inTransaction("pay-2", Duration.ZERO, c -> 7))
        .isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aRefusalOfSomethingElseThatTheWorkHasCalledIsNotTriedAgain() {
    AtomicInteger runs = new AtomicInteger();
    FencedResource stock = fence.raise("stock", 1);
    fence.raise("stock", 2);

    assertThatThrownBy(
            () ->
                runner.inTransaction(
                    "pay-1",
                    LONG,
                    c -> {
                      runs.incrementAndGet();
                      return stock.inTransaction(inner -> 0);
                    }))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("\"stock\"");

    assertThat(runs).hasValue(1);
  }

  @Test
  void aGuardedStatementThatIsCancelledIsNotRunAgain() throws Exception {
    sql.run("CREATE SEQUENCE runs");
    try {
      PGSimpleDataSource impatient = (PGSimpleDataSource) SERVER.dataSource();
      impatient.setOptions("-c statement_timeout=300");
      FencedResource ledger = JdbcFence.of(impatient).raise("ledger", 1_000);

      assertThatThrownBy(
              () ->
                  ledger.update(
                      "UPDATE account SET balance = (SELECT 1 FROM (SELECT nextval('runs')) r,"
                          + " pg_sleep(5))"))
          .isInstanceOf(SQLException.class)
          .hasFieldOrPropertyWithValue("SQLState", "57014");

      assertThat(ledger.isUsable()).isTrue();
      assertThat(sql.number("SELECT last_value FROM runs")).as("executions").isEqualTo(1);
    } finally {
      sql.run("DROP SEQUENCE runs");
    }
  }

  @Test
  void workThatFailsIsNotTriedAgain() {
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                runner.inTransaction(
                    "pay-1",
                    LONG,
                    c -> {
                      runs.incrementAndGet();
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");

    assertThat(runs).hasValue(1);
  }

  @Test
  void aGuardedStatementWhoseAnswerIsLostIsUnknownAndRenewedItIsSeen() throws Exception {
    FencedResource ledger = proxied.raise("ledger", tokens.getAndIncrement());
    Fault lost = proxy.dropReplyTo(ADD.substring(0, 20));

    assertThatThrownBy(() -> ledger.update(ADD, 5L, 1)).isInstanceOf(UnknownOutcomeException.class);

    lost.await(LONG);
    assertThatThrownBy(() -> ledger.update(ADD, 5L, 1)).isInstanceOf(UnknownOutcomeException.class);
    FencedResource renewed = ledger.renew();
    assertThat(balance()).isEqualTo(105);
    assertThat(renewed.update(ADD, 5L, 1)).isEqualTo(1);
  }

  @Test
  void aGuardedStatementTakesOneRoundTripAsAPlainOneDoes() throws Exception {
    try (var pool = new SingleConnection(SERVER.dataSource(proxy.port()))) {
      JdbcFence kept = JdbcFence.of(pool);
      FencedResource ledger = kept.raise("ledger", tokens.getAndIncrement());
      for (int i = 0; i < 8; i++) { // Past the point where the driver prepares on the server.
        long before = proxy.requests();
        ledger.update(ADD, 1L, 1);
        assertThat(proxy.requests() - before).as("round trips of statement " + i).isEqualTo(1);
      }
      for (int i = 0; i < 8; i++) {
        long before = proxy.requests();
        ledger.inTransaction(c -> FenceContract.addToBalance(c, 1));
        assertThat(proxy.requests() - before).as("check, statement, commit").isEqualTo(3);
      }
    }
    assertThat(balance()).isEqualTo(116);
  }
}
