package dev.fencing.examples.comparison.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.arm.Hold;
import dev.fencing.examples.comparison.arm.Lock;
import dev.fencing.examples.comparison.arm.Store;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock and a store that fail where they are told to, and note what is asked of them. */
class AttemptTest implements Lock, Hold, Store, Store.Work {

  private static final int READ = 1_000;
  private static final int TOKEN = 33;
  private static final int AMOUNT = 16;

  private final List<String> asked = new ArrayList<>();
  private String failsAt = "";
  private @Nullable Exception failure;
  private boolean free = true;
  private boolean held = true;
  private boolean commits;

  @Test
  void readsThinksAndWritesUnderTheLock() {
    Transaction done = run(0, false);

    assertThat(asked)
        .containsExactly("acquire", "begin 33", "read", "held?", "write 1016", "release");
    assertThat(done.outcome()).isEqualTo(Outcome.WRITTEN);
    assertThat(done.token()).isEqualTo(TOKEN);
    assertThat(List.of(done.read(), done.wrote())).containsExactly(1_000L, 1_016L);
    assertThat(
            List.of(
                done.requestedAt(),
                done.acquiredAt(),
                done.readAt(),
                done.endedAt(),
                done.releasedAt()))
        .isSorted();
    assertThat(done.detail()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true, mark held? write", "false, held? mark write"})
  void isStoppedBeforeOrAfterItAsksWhetherItHoldsTheLock(boolean beforeCheck, String order) {
    run(1, beforeCheck);

    assertThat(String.join(" ", asked)).contains("read " + order);
  }

  @Test
  void whoGetsNoLockDoesNothing() {
    free = false;
    Transaction done = run(0, false);

    assertThat(asked).containsExactly("acquire");
    assertThat(done.outcome()).isEqualTo(Outcome.NOT_LOCKED);
    assertThat(done.acquiredAt()).isZero();
  }

  @Test
  void whoHasLostTheLockDoesNotWrite() {
    held = false;
    Transaction done = run(0, false);

    assertThat(asked).containsExactly("acquire", "begin 33", "read", "held?", "release");
    assertThat(done.outcome()).isEqualTo(Outcome.LOST_LOCK);
  }

  @ParameterizedTest
  @CsvSource({
    "acquire, 08006, FAILED",
    "begin, 08006, FAILED",
    "read, 08006, FAILED",
    "write, 08006, UNKNOWN",
    "write, 08003, UNKNOWN",
    "write, 23505, FAILED",
    "write, , FAILED"
  })
  void onlyALostConnectionDuringTheWriteLeavesItOpenWhetherItLanded(
      String where, @Nullable String sqlState, Outcome outcome) {
    failsAt = where;
    failure = new SQLException("broken", sqlState);
    Transaction done = run(0, false);

    assertThat(done.outcome()).isEqualTo(outcome);
    assertThat(done.detail()).contains("broken");
    assertThat(asked.contains("release")).isEqualTo(!where.equals("acquire"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedReleaseLeavesItOpenOnlyWhereItCommits(boolean commits) {
    this.commits = commits;
    failsAt = "release";
    failure = new SQLException("broken");
    Transaction done = run(0, false);

    assertThat(done.outcome()).isEqualTo(commits ? Outcome.UNKNOWN : Outcome.WRITTEN);
    assertThat(done.releasedAt()).isZero();
    assertThat(done.detail()).startsWith("release: ").contains("broken");
  }

  @Test
  void aReleaseThatWouldHaveCommittedNothingLeavesNothingOpen() {
    commits = true;
    held = false;
    failsAt = "release";
    failure = new SQLException("broken");

    assertThat(run(0, false).outcome()).isEqualTo(Outcome.LOST_LOCK);
  }

  private Transaction run(double pause, boolean beforeCheck) {
    return Attempt.run(
        new Planned(1, "row", AMOUNT, pause, beforeCheck, false),
        0,
        this,
        this,
        Duration.ZERO,
        Duration.ZERO,
        () -> asked.add("mark"));
  }

  private void ask(String what) throws Exception {
    asked.add(what);
    if (failure != null && what.startsWith(failsAt)) {
      throw failure;
    }
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    ask("acquire");
    return free ? this : null;
  }

  @Override
  public Work begin(String row, long token) throws Exception {
    ask("begin " + token);
    return this;
  }

  @Override
  public long read() throws Exception {
    ask("read");
    return READ;
  }

  @Override
  public void write(long value) throws Exception {
    ask("write " + value);
  }

  @Override
  public boolean seemsHeld() {
    asked.add("held?");
    return held;
  }

  @Override
  public long token() {
    return TOKEN;
  }

  @Override
  public boolean commits() {
    return commits;
  }

  @Override
  public void release() throws Exception {
    ask("release");
  }

  @Override
  public long leaseMillis() {
    return 0;
  }

  @Override
  public void close() {
    // There is nothing to close.
  }
}
