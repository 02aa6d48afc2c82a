package dev.fencing.harness.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Workload;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** For each check a history that it must fail, and the nearest one that it must pass. */
class ChecksTest {

  private final Story story = new Story();

  @Test
  void holderThatIsOvertakenAndRefusedIsAllRight() {
    story.take(0, "a", 33);
    story.read(0, "a", 0, null);
    story.write(0, "a", "a1", 1, 1);
    story.take(1, "b", 34);
    story.read(1, "b", 1, 1L);
    story.refused(0, "a", OpFunction.WRITE, "a2");
    story.write(1, "b", "b1", 2, 2);
    story.release(0, "a");
    story.release(1, "b");

    assertThat(story.failing()).isEmpty();
    assertThat(Episodes.of(new Indexed(story.run()))).hasSize(1);
    assertThat(StaleAttempts.of(new Indexed(story.run())).refused()).isEqualTo(1);
  }

  @Test
  void c1SeesAGap() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.write(0, "a", "a2", 2, 2);
    story.write(0, "a", "a3", 3, 3);
    assertThat(story.failing()).isEmpty();

    LoggedWrite unnoticed = story.log.remove(1);
    story.ops.removeIf(op -> unnoticed.op().equals(op.op()));

    assertThat(story.failing()).containsExactly(Check.C1);
    assertThat(first(Check.C1))
        .startsWith("C1 gap: lock-0 ver 3 by op a3 (token 33) follows ver 1, ver 2 is missing");
  }

  @Test
  void c1SeesAVersionTwice() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.write(0, "a", "a2", 2, 2);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a3", 2L);
    story.accept("a", "a3", 2, 1, 1L, 2L);
    story.end(write, OpType.INFO);

    assertThat(story.failing()).containsExactly(Check.C1);
    assertThat(first(Check.C1))
        .startsWith(
            "C1 same version twice: lock-0 ver 2 by op a2 (token 33) and by op a3 (token 33)");
  }

  @Test
  void c1SeesAnAttemptThatWasAppliedTwice() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.accept("a", "a1", 2, 1, 1L, 1L);

    assertThat(story.failing()).containsExactly(Check.C1);
  }

  @Test
  void c2SeesAnAcknowledgedWriteThatIsLost() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a2", 2L);
    Op end = story.end(write, OpType.OK);

    assertThat(story.failing()).containsExactly(Check.C2);
    assertThat(first(Check.C2))
        .isEqualTo(
            "C2 acknowledged and lost: lock-0 op a2 (token 33) is not in the log [:index 6, 7]");

    story.ops.set(end.index(), write.completed(OpType.INFO).at(end.time()));
    assertThat(story.failing()).isEmpty();
  }

  @Test
  void c2SeesARefusedWriteThatIsThere() {
    story.take(0, "a", 33);
    story.take(1, "b", 34);
    Op write = story.begin(OpFunction.WRITE, 1, "b", "b1", 1L);
    story.accept("b", "b1", 1, 0, null, 1L);
    Op end = story.end(write.completed(OpType.FAIL).error("FenceBusyException: x"));

    assertThat(story.failing()).containsExactly(Check.C2);
    assertThat(first(Check.C2)).startsWith("C2 refused and accepted: lock-0 op b1 (token 34)");

    story.ops.set(end.index(), write.completed(OpType.INFO).at(end.time()));
    assertThat(story.failing()).isEmpty();
  }

  @Test
  void c2SeesAWriteThatNobodyTried() {
    story.take(0, "a", 33);
    story.accept("a", "a1", 1, 0, null, 1L);

    assertThat(story.failing()).containsExactly(Check.C2);
  }

  @Test
  void c2SeesAWriteThatIsThereWithAnotherValue() {
    story.take(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    story.accept("a", "a1", 1, 0, null, 2L);
    story.end(write, OpType.OK);

    assertThat(story.failing()).containsExactly(Check.C2);
    assertThat(first(Check.C2))
        .startsWith(
            "C2 accepted otherwise than sent: lock-0 ver 1 by op a1 (token 33) is 2, but 1 was sent");
  }

  @Test
  void c2SeesATransactionOfWhichOnlyAPartIsThere() {
    story.take(0, "a", 33);
    Op write =
        story.begin(OpFunction.WRITE, 0, "a", "a1", Map.of("lock-0/a0", 100L, "lock-0/a1", 100L));
    story.accept("a", "a1", "lock-0/a0", 1, 0, 100L, 100L);
    story.end(write, OpType.INFO);

    assertThat(story.failing()).containsExactly(Check.C2);
    assertThat(first(Check.C2))
        .startsWith("C2 accepted in part: lock-0 op a1 (token 33) has no rows [lock-0/a1]");
  }

  @Test
  void c3SeesAStaleWrite() {
    story.take(0, "a", 33);
    Op late = story.begin(OpFunction.WRITE, 0, "a", "a1", 2L);
    story.take(1, "b", 34);
    story.write(1, "b", "b1", 1, 1);
    story.accept("a", "a1", 2, 1, 1L, 2L);
    story.end(late, OpType.OK);

    assertThat(story.failing()).containsExactly(Check.C3);
    assertThat(first(Check.C3))
        .startsWith(
            "C3 stale write accepted: lock-0 ver 2 by op a1 has token 33, but ver 1 by op b1 had token 34");
  }

  @Test
  void c3LetsAnOlderTokenWriteFirst() {
    story.take(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    story.acquire(1, "b", 34);
    story.accept("a", "a1", 1, 0, null, 1L);
    story.end(write, OpType.OK);
    story.raise(1, "b");
    story.write(1, "b", "b1", 2, 2);

    assertThat(story.failing()).isEmpty();
  }

  @Test
  void c3SeesAFenceThatFell() {
    story.acquire(0, "a", 33);
    story.take(1, "b", 34);
    story.raise(0, "a");

    assertThat(story.failing()).containsExactly(Check.C3);
    assertThat(first(Check.C3))
        .startsWith(
            "C3 fence fell: raise of hold a (token 33) of lock-0 succeeded after raise of hold b (token 34) had");
  }

  @Test
  void c3LetsRaisesThatOverlapSucceedInAnyOrder() {
    story.acquire(0, "a", 33);
    Op late = story.begin(OpFunction.RAISE, 0, "a");
    story.take(1, "b", 34);
    story.end(late, OpType.OK);

    assertThat(story.failing()).isEmpty();
  }

  /** Nobody has read or written under the larger token, so that only the raise tells. */
  @Test
  void c3SeesAWritePastARaise() {
    story.take(0, "a", 33);
    story.take(1, "b", 34);
    story.write(0, "a", "a1", 1, 1);

    assertThat(story.failing()).containsExactly(Check.C3);
    assertThat(first(Check.C3))
        .startsWith(
            "C3 write past a raise: lock-0 ver 1 by op a1 has token 33, and began after raise of hold b (token 34) had succeeded");
  }

  @Test
  void c4SeesABrokenChain() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a2", 8L);
    story.accept("a", "a2", 2, 1, 7L, 8L);
    story.end(write, OpType.OK);

    assertThat(story.failing()).containsExactly(Check.C4);
    assertThat(first(Check.C4))
        .startsWith("C4 broken chain: lock-0 ver 2 by op a2 (token 33) starts from 7, but ver 1");
  }

  @Test
  void c4SeesAnElementThatGotLostFromAList() {
    story.take(0, "a", 33);
    append("a1", 1, null, List.of(5L));
    append("a2", 2, List.of(5L), List.of(5L, 6L));
    assertThat(story.failing()).isEmpty();

    append("a3", 3, List.of(5L, 6L), List.of(5L, 7L, 8L));

    assertThat(story.failing()).containsExactly(Check.C4);
    assertThat(first(Check.C4)).contains("lost elements: lock-0 ver 3").contains("[5, 7, 8]");
  }

  private void append(String op, long ver, @Nullable Object old, Object fresh) {
    Op write = story.begin(OpFunction.WRITE, 0, "a", op, fresh);
    story.accept("a", op, ver, ver - 1, old, fresh);
    story.end(write, OpType.OK);
  }

  @Test
  void c5SeesAWriteThatLandsPastARead() {
    lateWrite();
    story.read(1, "b", 0, null);
    landed();

    assertThat(story.failing()).containsExactly(Check.C5);
    assertThat(first(Check.C5))
        .startsWith(
            "C5 write past a read: lock-0 ver 1 by op a1 has token 33, but read of hold b (token 34) had seen ver 0 before it");
  }

  @Test
  void c5SeesItInRowModeToo() {
    story.acquire(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    story.acquire(1, "b", 34);
    story.end(story.begin(OpFunction.CLAIM, 1, "b").completed(OpType.OK).value(new Row(0, null)));
    story.accept("a", "a1", 1, 0, null, 1L);
    story.end(write, OpType.INFO);

    assertThat(story.failing()).containsExactly(Check.C5);
  }

  @Test
  void c5AndC6JudgeAnArmThatNeverRaises() {
    story.acquire(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    story.acquire(1, "b", 34);
    story.read(1, "b", 0, null);
    story.accept("a", "a1", 1, 0, null, 1L);
    story.end(write, OpType.OK);
    assertThat(story.failing()).containsExactly(Check.C5);

    story.read(1, "b", 0, null);
    assertThat(story.failing()).containsExactly(Check.C5, Check.C6);
  }

  @Test
  void c5LetsAWriteLandThatTheReadSaw() {
    Op write = lateWrite();
    story.accept("a", "a1", 1, 0, null, 1L);
    story.read(1, "b", 1, 1L);
    story.end(write, OpType.INFO);

    assertThat(story.failing()).isEmpty();
  }

  @Test
  void c5LetsAnOlderReadBeOvertaken() {
    story.take(0, "a", 33);
    story.read(0, "a", 0, null);
    story.take(1, "b", 34);
    story.write(1, "b", "b1", 1, 1);

    assertThat(story.failing()).isEmpty();
  }

  private Op lateWrite() {
    return lateWrite(1L);
  }

  private Op lateWrite(Object value) {
    story.take(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", value);
    story.take(1, "b", 34);
    return write;
  }

  private void landed() {
    story.accept("a", "a1", 1, 0, null, 1L);
    story.end(story.ops.get(4), OpType.INFO);
  }

  @Test
  void c6SeesAStaleRead() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.read(0, "a", 0, null);

    assertThat(story.failing()).containsExactly(Check.C6);
    assertThat(first(Check.C6))
        .startsWith(
            "C6 stale read: read of hold a (token 33) saw lock-0 at ver 0, but ver 1 by op a1 had been acknowledged before");
  }

  @Test
  void c6LetsAReadMissAWriteThatWasNotAcknowledgedYet() {
    story.take(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    Op read = story.begin(OpFunction.READ, 1, "a");
    story.accept("a", "a1", 1, 0, null, 1L);
    story.end(write, OpType.OK);
    story.end(read.completed(OpType.OK).value(new Row(0, null)));

    assertThat(story.failing()).isEmpty();
  }

  @Test
  void readsOfAHoldWhoseRaiseDidNotSucceedDoNotCount() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.acquire(1, "b", 34);
    Op raise = story.begin(OpFunction.RAISE, 1, "b");
    Op end = story.end(raise.completed(OpType.FAIL).error("FenceBusyException: busy"));
    story.read(1, "b", 0, null);

    assertThat(story.failing()).isEmpty();

    story.ops.set(end.index(), raise.completed(OpType.OK).at(end.time()));
    assertThat(story.failing()).containsExactly(Check.C5, Check.C6);
  }

  @Test
  void c6SeesAWriteBeforeOneThatHadBeenAcknowledged() {
    story.take(0, "a", 33);
    Op first = story.begin(OpFunction.WRITE, 0, "a", "a1", 2L);
    story.accept("a", "a1", 2, 1, 1L, 2L);
    story.end(first, OpType.OK);
    Op second = story.begin(OpFunction.WRITE, 0, "a", "a2", 1L);
    story.accept("a", "a2", 1, 0, null, 1L);
    story.end(second, OpType.OK);

    assertThat(story.failing()).containsExactly(Check.C6);
    assertThat(first(Check.C6)).startsWith("C6 out of order: lock-0 ver 1 by op a2 began after");
  }

  @Test
  void c6SeesAReadOfWhatIsNotInTheLog() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.read(0, "a", 1, 1L);
    assertThat(story.failing()).isEmpty();

    story.read(0, "a", 2, 2L);
    assertThat(story.failing()).containsExactly(Check.C6);
    assertThat(first(Check.C6)).contains("saw lock-0 at ver 2, which the log does not have");
  }

  @Test
  void c6SeesAWrongValue() {
    story.take(0, "a", 33);
    story.write(0, "a", "a1", 1, 1);
    story.read(0, "a", 1, 2L);

    assertThat(story.failing()).containsExactly(Check.C6);
  }

  @Test
  void c6SeesAWrongValueBeforeTheFirstWrite() {
    story.take(0, "a", 33);
    story.read(0, "a", 0, 7L);
    story.write(0, "a", "a1", 1, 1);

    assertThat(story.failing()).containsExactly(Check.C6);
    assertThat(first(Check.C6))
        .contains("before its first write as 7, but op a1 started from null");
  }

  @Test
  void c6SeesAReadOfWhatIsWrittenLater() {
    story.take(0, "a", 33);
    story.read(0, "a", 1, 1L);
    story.write(0, "a", "a1", 1, 1);

    assertThat(story.failing()).containsExactly(Check.C6);
    assertThat(first(Check.C6))
        .startsWith(
            "C6 out of order: lock-0 ver 1 by op a1 began after ver 1 had been seen by read of hold a (token 33)");
  }

  /** The write was never acknowledged, so only the read before tells that it was there. */
  @Test
  void c6SeesAReadThatGoesBackBehindAnotherOne() {
    story.take(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    story.accept("a", "a1", 1, 0, null, 1L);
    story.end(write, OpType.INFO);
    story.read(0, "a", 1, 1L);
    assertThat(story.failing()).isEmpty();

    story.read(0, "a", 0, null);
    assertThat(story.failing()).containsExactly(Check.C6);
    assertThat(first(Check.C6))
        .startsWith(
            "C6 stale read: read of hold a (token 33) saw lock-0 at ver 0, but ver 1 had been seen by read of hold a (token 33) before");
  }

  @Test
  void c7SeesATokenThatFell() {
    story.acquire(0, "a", 33);
    story.acquire(1, "b", 32);

    assertThat(story.failing()).containsExactly(Check.C7);
    assertThat(first(Check.C7))
        .startsWith(
            "C7 token fell: lock-0 gave token 32 to hold b, which asked after hold a had been given token 33");
  }

  @Test
  void c7LetsGrantsThatOverlapHaveAnyOrder() {
    Op late = story.begin(OpFunction.ACQUIRE, 1, "b");
    story.acquire(0, "a", 33);
    story.granted(late, 32);

    assertThat(story.failing()).isEmpty();
  }

  @Test
  void c7SeesATokenOfTwoHolds() {
    story.acquire(0, "a", 33);
    story.acquire(1, "b", 33);

    assertThat(story.failing()).containsExactly(Check.C7);
    assertThat(first(Check.C7)).startsWith("C7 same token twice: 33 of lock-0");
  }

  @Test
  void c7LetsAReEntryKeepItsToken() {
    story.acquire(0, "a", 33);
    story.acquire(0, "a", 33);
    assertThat(story.failing()).isEmpty();

    story.acquire(0, "a", 34);
    assertThat(story.failing()).containsExactly(Check.C7);
    assertThat(first(Check.C7)).startsWith("C7 re-entry changed the token: hold a");
  }

  @Test
  void c7SeesAWriteUnderATokenThatTheHoldWasNotGranted() {
    story.take(0, "a", 33);
    story.end(
        story
            .begin(OpFunction.READ, 0, "a")
            .completed(OpType.OK)
            .token(34L)
            .value(new Row(0, null)));

    assertThat(story.failing()).containsExactly(Check.C7);
  }

  @Test
  void c7SeesAWriteThatWasAcceptedWithAnotherTokenThanGranted() {
    story.take(0, "a", 33);
    Op write = story.begin(OpFunction.WRITE, 0, "a", "a1", 1L);
    story.log.add(new LoggedWrite("a1", Story.LOCK, Story.LOCK, 35, 1, 0, null, 1L));
    story.end(write, OpType.OK);

    assertThat(story.failing()).containsExactly(Check.C7);
    assertThat(first(Check.C7))
        .startsWith(
            "C7 another token than granted: hold a of lock-0 was granted token 33, but lock-0 ver 1 by op a1 was accepted with token 35");
  }

  @Test
  void c7LetsARebuiltEnsembleBeginAnew() {
    story.acquire(0, "a", 33);
    long from = story.now();
    story.release(0, "a");
    story.faults.add(
        new Fault(
            FaultKind.TOKEN_GOES_BACK, from, story.now(), null, null, true, "empty", "random"));
    story.acquire(1, "b", 4);
    assertThat(story.failing()).isEmpty();

    story.acquire(0, "c", 3);
    assertThat(story.failing()).containsExactly(Check.C7);
  }

  @Test
  void c8SeesARefusalWithoutAReason() {
    story.take(0, "a", 33);
    story.acquire(1, "b", 34);
    story.refused(0, "a", OpFunction.WRITE, "a1");
    // A raise that comes later is no reason.
    story.raise(1, "b");

    assertThat(story.failing()).containsExactly(Check.C8);
    assertThat(first(Check.C8))
        .startsWith(
            "C8 false refusal: write of hold a (token 33) on lock-0 was refused, but the largest token until then was 33");
  }

  @Test
  void c8LetsARefusalBeByARaiseWhoseAnswerIsNotThereYet() {
    story.take(0, "a", 33);
    story.acquire(1, "b", 34);
    Op raise = story.begin(OpFunction.RAISE, 1, "b");
    story.refused(0, "a", OpFunction.WRITE, "a1");
    Op end = story.end(raise, OpType.INFO);
    assertThat(story.failing()).isEmpty();

    story.ops.set(
        end.index(), raise.completed(OpType.FAIL).error("FenceBusyException: busy").at(end.time()));
    assertThat(story.failing()).containsExactly(Check.C8);
  }

  @Test
  void c8LetsADeadHandleBeRefusedAfterItsRenewal() {
    story.take(0, "a", 33);
    Op late = story.begin(OpFunction.WRITE, 1, "a", "a1", 1L);
    story.end(story.begin(OpFunction.RENEW, 0, "a"), OpType.OK);
    story.end(late.completed(OpType.FAIL).error("StaleTokenException: stale"));

    assertThat(story.failing()).isEmpty();
  }

  @Test
  void c8SeesARefusalOfTheHandleThatARenewalHasMade() {
    story.take(0, "a", 33);
    story.end(story.begin(OpFunction.RENEW, 0, "a"), OpType.OK);
    story.refused(0, "a", OpFunction.WRITE, "a1");

    assertThat(story.failing()).containsExactly(Check.C8);
  }

  @Test
  void c8SeesARefusalAfterSeveralClaimsOfOneHold() {
    story.acquire(0, "a", 33);
    for (int i = 0; i < 3; i++) {
      story.end(story.begin(OpFunction.CLAIM, 0, "a").completed(OpType.OK).value(new Row(0, null)));
    }
    story.refused(0, "a", OpFunction.WRITE, "a1");
    assertThat(story.verdict().finding(Check.C8).count()).isEqualTo(1);

    story.refused(0, "a", OpFunction.CLAIM, null);
    assertThat(story.verdict().finding(Check.C8).count()).isEqualTo(2);
  }

  @Test
  void c8LetsTheSameTokenBeRefusedInASecondRaise() {
    story.take(0, "a", 33);
    story.refused(0, "a", OpFunction.RAISE, null);
    assertThat(story.failing()).isEmpty();

    story.acquire(1, "b", 34);
    story.refused(1, "b", OpFunction.RAISE, null);
    assertThat(story.failing()).containsExactly(Check.C8);
  }

  @Test
  void c9SeesALeaseThatComesBackToLife() {
    story.acquire(0, "a", 33);
    story.live(0, "a", true);
    story.live(0, "a", false);
    assertThat(story.failing()).isEmpty();

    story.live(0, "a", true);
    assertThat(story.failing()).containsExactly(Check.C9);
    assertThat(first(Check.C9)).startsWith("C9 back to life: hold a of lock-0 (token 33)");
  }

  @Test
  void c9SeesALeaseThatIsLiveAfterItsRelease() {
    story.acquire(0, "a", 33);
    story.release(0, "a");
    story.live(0, "a", true);

    assertThat(story.failing()).containsExactly(Check.C9);
  }

  @Test
  void c9CountsALeaseThatIsLiveWhileALargerTokenIsGranted() {
    story.acquire(0, "a", 33);
    story.acquire(1, "b", 34);
    story.live(0, "a", true);
    story.live(1, "b", true);

    assertThat(story.failing()).isEmpty();
    assertThat(story.verdict().finding(Check.C9).note())
        .isEqualTo("live while a larger token had been granted: 1 times");
  }

  @Test
  void c10SeesWhatIsLeft() {
    assertThat(story.failing()).isEmpty();

    story.children = 2;
    assertThat(story.failing()).containsExactly(Check.C10);
    assertThat(first(Check.C10)).isEqualTo("C10 left over: 2 lock nodes");
  }

  @Test
  void c11SeesAWorkerThatWaitsTooLongOrForEver() {
    story.acquire(0, "a", 33);
    story.healed(0, 9.9);
    assertThat(story.failing()).isEmpty();

    story.healed(0, 10.1);
    assertThat(story.failing()).containsExactly(Check.C11);
    assertThat(first(Check.C11)).isEqualTo("C11 worker 0 got lock-0 only after 10.1 s");

    story.healed(0, Double.POSITIVE_INFINITY);
    assertThat(story.failing()).containsExactly(Check.C11);
    assertThat(first(Check.C11)).isEqualTo("C11 worker 0 never got lock-0");
  }

  @Test
  void b1SeesATotalThatIsWrong() {
    story.workload = Workload.BANK;
    story.bankTotal = 800L;
    assertThat(story.failing()).isEmpty();

    story.bankTotal = 799L;
    assertThat(story.failing()).containsExactly(Check.B1);
    assertThat(first(Check.B1)).isEqualTo("B1 the total of the accounts is 799, not 800");
  }

  @Test
  void b1SeesATransferThatTakesLessThanItGives() {
    story.workload = Workload.BANK;
    story.bankTotal = 800L;
    story.take(0, "a", 33);
    transfer(90L);
    assertThat(story.failing()).isEmpty();

    story.log.remove(1);
    assertThat(story.failing()).containsExactly(Check.C2, Check.B1);
    assertThat(first(Check.B1))
        .startsWith("B1 op a1 (token 33) changed the total by -10, in 1 rows");
  }

  @Test
  void c5SeesAWritePastAReadOfOneOfSeveralRows() {
    story.workload = Workload.BANK;
    story.bankTotal = 800L;
    Op write = lateWrite(Map.of("lock-0/a0", 90L, "lock-0/a1", 110L));
    Op read = story.begin(OpFunction.READ, 1, "b");
    story.end(
        read.completed(OpType.OK)
            .value(Map.of("lock-0/a0", new Row(0, 100L), "lock-0/a7", new Row(0, 100L))));
    story.accept("a", "a1", "lock-0/a0", 1, 0, 100L, 90L);
    story.accept("a", "a1", "lock-0/a1", 1, 0, 100L, 110L);
    story.end(write, OpType.INFO);

    assertThat(story.failing()).containsExactly(Check.C5);
    assertThat(story.verdict().finding(Check.C5).count()).isEqualTo(1);
  }

  @Test
  void f1SeesWhatAFaultItselfGotThrough() {
    Fault fault =
        new Fault(
            FaultKind.TOKEN_GOES_BACK, 1_500_000_000, 2, null, null, true, "czxid fell", "random");
    story.faults.add(fault);
    assertThat(story.failing()).isEmpty();
    assertThat(story.verdict().finding(Check.F1).holds()).isTrue();

    story.faults.set(0, fault.withHarm("1 raises were not refused"));

    assertThat(story.failing()).containsExactly(Check.F1);
    assertThat(first(Check.F1))
        .isEqualTo("F1 token goes back at 1.500 s: 1 raises were not refused");
  }

  private void transfer(long left) {
    Op write =
        story.begin(
            OpFunction.WRITE, 0, "a", "a1", Map.of("lock-0/a0", left, "lock-0/a1", 200L - left));
    story.accept("a", "a1", "lock-0/a0", 1, 0, 100L, left);
    story.accept("a", "a1", "lock-0/a1", 1, 0, 100L, 200L - left);
    story.end(write, OpType.OK);
  }

  private String first(Check check) {
    return story.verdict().finding(check).violations().get(0).toString();
  }
}
