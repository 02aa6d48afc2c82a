package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.jdbc.OperationOutcome.AlreadyApplied;
import dev.fencing.jdbc.OperationOutcome.Applied;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Operations that are applied once, on every database; a subclass names it. */
abstract class OperationContract extends DatabaseTest {

  @Test
  void anOperationIsAppliedOnceUnderOneTokenAndUnderTheNext() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);

    OperationOutcome<Integer> first =
        ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5));
    OperationOutcome<Integer> second =
        ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5));
    OperationOutcome<Integer> third =
        fence.raise("ledger", 40).inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5));

    assertThat(first).isEqualTo(new Applied<>(1));
    assertThat(second).isEqualTo(new AlreadyApplied<Integer>(0, 33));
    assertThat(third).isEqualTo(new AlreadyApplied<Integer>(0, 33));
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void theIdBelongsToTheResource() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    FencedResource stock = fence.raise("stock", 33);

    ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5));

    assertThat(stock.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5)))
        .isInstanceOf(Applied.class);
    assertThat(balance()).isEqualTo(110);
  }

  @Test
  void workThatFailsLeavesItsOperationUnapplied() throws SQLException {
    FencedResource ledger = fence.raise("ledger", 33);
    assertThatThrownBy(
            () ->
                ledger.inTransaction(
                    "pay-1",
                    c -> {
                      FenceContract.addToBalance(c, 5);
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");

    assertThat(ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5)))
        .isEqualTo(new Applied<>(1));
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void twoThreadsThatTryOneOperationApplyItOnce() throws Exception {
    FencedResource ledger = fence.raise("ledger", 33);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<OperationOutcome<Integer>> first =
        Background.start(
            () ->
                ledger.inTransaction(
                    "pay-1",
                    c -> {
                      running.countDown();
                      goOn.await();
                      return FenceContract.addToBalance(c, 5);
                    }));
    running.await();
    CompletableFuture<OperationOutcome<Integer>> second =
        Background.start(
            () -> ledger.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5)));

    goOn.countDown();

    assertThat(first.get(30, TimeUnit.SECONDS)).isInstanceOf(Applied.class);
    assertThat(second.get(30, TimeUnit.SECONDS)).isInstanceOf(AlreadyApplied.class);
    assertThat(balance()).isEqualTo(105);
  }

  @Test
  void aStaleHolderAppliesNothing() throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    fence.raise("ledger", 34);

    assertThatThrownBy(() -> old.inTransaction("pay-1", c -> FenceContract.addToBalance(c, 5)))
        .isInstanceOf(StaleTokenException.class);

    assertThat(sql.number("SELECT count(*) FROM fence_operation")).isZero();
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void anOperationInsideAnotherTransactionIsRefused() {
    FencedResource ledger = fence.raise("ledger", 33);

    assertThatThrownBy(() -> ledger.inTransaction(c -> ledger.inTransaction("pay-1", inner -> 0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("pay-1");
  }

  @Test
  void operationsAreForgottenByTheDistanceOfTheirTokens() throws SQLException {
    for (long token : new long[] {100, 200, 300}) {
      fence.raise("ledger", token).inTransaction("op-" + token, c -> 0);
    }
    fence.raise("stock", 1).inTransaction("op-1", c -> 0);

    assertThat(fence.forgetOperations("ledger", 200)).as("none is further away").isZero();
    assertThat(fence.forgetOperations("ledger", 100)).isEqualTo(1);
    assertThat(fence.forgetOperations("never raised", 0)).isZero();
    assertThat(fence.forgetOperations("ledger", Long.MAX_VALUE)).isZero();

    FencedResource ledger = fence.raise("ledger", 301);
    assertThat(ledger.inTransaction("op-200", c -> 0)).isInstanceOf(AlreadyApplied.class);
    assertThat(ledger.inTransaction("op-100", c -> 0))
        .as("what deleting too early costs")
        .isInstanceOf(Applied.class);
  }

  @Test
  void operationsOfAnEarlierGenerationCountAsAWholeTokenAway() throws SQLException {
    fence.raise("ledger", 1_000).inTransaction("op-1", c -> 0);
    JdbcFence rebuilt = JdbcFence.builder(dataSource).generation(1).build();
    rebuilt.raise("ledger", 50);

    assertThat(rebuilt.forgetOperations("ledger", 50)).isZero();
    assertThat(rebuilt.forgetOperations("ledger", 49)).isEqualTo(1);
  }
}
