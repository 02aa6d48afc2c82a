package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of acquire, raise, work, commit and release, whatever fails. */
class FencedRunnerTest extends PostgresTest {

  private final List<String> events = new ArrayList<>();
  private long nextToken = 33;

  /** A lock that grants at once; what is tested is when it is asked. */
  private final class Lease implements AutoCloseable {
    private final long token = nextToken++;

    Lease() {
      events.add("acquire");
    }

    @Override
    public void close() throws SQLException {
      events.add("release with balance " + balance());
    }
  }

  private final FencedRunner runner =
      FencedRunner.of(fence, "ledger", Lease::new, lease -> lease.token);

  @Test
  void theLockIsReleasedAfterTheCommit() throws SQLException {
    int written = runner.inTransaction(c -> FenceContract.setBalance(c, 5));

    assertThat(written).isEqualTo(1);
    assertThat(events).containsExactly("acquire", "release with balance 5");
  }

  @Test
  void everyCallHasATokenOfItsOwn() {
    long first = runner.run(FencedResource::token);
    long second = runner.run(FencedResource::token);

    assertThat(List.of(first, second)).containsExactly(33L, 34L);
  }

  @Test
  void theOriginOfTheTokensIsKeptWithTheFence() {
    FencedRunner said =
        FencedRunner.of(fence, "ledger", Lease::new, lease -> lease.token, lease -> "/locks/a");
    assertThat(said.<Long, RuntimeException>run(FencedResource::token)).isEqualTo(33);
    assertThat(fence.current("ledger").orElseThrow().origin()).isEqualTo("/locks/a");

    FencedRunner other =
        FencedRunner.of(fence, "ledger", Lease::new, lease -> lease.token, lease -> "/locks/b");
    assertThatThrownBy(() -> other.run(FencedResource::token))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("/locks/a", "/locks/b");
  }

  @Test
  void workThatFailsIsRolledBackBeforeTheRelease() {
    assertThatThrownBy(
            () ->
                runner.inTransaction(
                    c -> {
                      FenceContract.setBalance(c, 5);
                      throw new SQLException("work fails");
                    }))
        .hasMessage("work fails");

    assertThat(events).containsExactly("acquire", "release with balance 100");
  }

  @Test
  void aRefusedRaiseReleasesTheLockAndRunsNoWork() {
    fence.raise("ledger", 99);

    assertThatThrownBy(
            () ->
                runner.run(
                    resource -> {
                      throw new AssertionError("the work ran");
                    }))
        .isInstanceOf(StaleTokenException.class);

    assertThat(events).containsExactly("acquire", "release with balance 100");
  }

  @Test
  void aHolderThatIsOvertakenIsRefusedAndNotRetried() {
    assertThatThrownBy(
            () ->
                runner.run(
                    resource -> {
                      fence.raise("ledger", 99);
                      return resource.inTransaction(c -> FenceContract.setBalance(c, 5));
                    }))
        .isInstanceOf(StaleTokenException.class);

    assertThat(events).containsExactly("acquire", "release with balance 100");
  }

  @Test
  void aLockThatCannotBeHadRaisesNothing() throws SQLException {
    FencedRunner unlucky =
        FencedRunner.<Lease>of(
            fence,
            "ledger",
            () -> {
              throw new InterruptedException("while waiting");
            },
            lease -> lease.token);

    assertThatThrownBy(() -> unlucky.inTransaction(c -> 0))
        .isExactlyInstanceOf(LeaseUnavailableException.class)
        .hasMessageContainingAll("\"ledger\"", "could not be acquired")
        .hasCauseInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).as("interrupt status").isTrue();
    assertThat(sql.number("SELECT count(*) FROM fence")).isZero();
  }

  @Test
  void aReleaseThatFailsDoesNotHideTheResultOrTheFailure() {
    FencedRunner clumsy =
        FencedRunner.<AutoCloseable>of(
            fence,
            "ledger",
            () ->
                () -> {
                  throw new IllegalStateException("release fails");
                },
            lease -> nextToken++);

    long token = clumsy.run(FencedResource::token);
    assertThat(token).isEqualTo(33);
    assertThatThrownBy(
            () ->
                clumsy.run(
                    resource -> {
                      throw new SQLException("work fails");
                    }))
        .hasMessage("work fails")
        .hasSuppressedException(new IllegalStateException("release fails"));
  }
}
