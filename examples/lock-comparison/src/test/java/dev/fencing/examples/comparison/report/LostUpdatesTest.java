package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Histories.change;
import static dev.fencing.examples.comparison.report.Histories.run;
import static dev.fencing.examples.comparison.report.Histories.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.report.LostUpdates.Loss;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class LostUpdatesTest {

  @Test
  void writesThatFollowOneAnotherLoseNothing() {
    LostUpdates found =
        of(
            List.of(written(1, 16, 1_000), written(2, 5, 1_016)),
            List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_021)));

    assertThat(found).isEqualTo(new LostUpdates(2, List.of(), 0, List.of()));
  }

  @Test
  void aWriteComputedFromAnOldBalanceLosesWhatWasWrittenSince() {
    Transaction stale = written(1, 16, 1_000);
    Transaction lost = written(2, 5, 1_000);
    LostUpdates found =
        of(List.of(stale, lost), List.of(change(1, 1_000, 1_005), change(2, 1_005, 1_016)));

    assertThat(found).isEqualTo(new LostUpdates(2, List.of(new Loss(lost, stale)), 1, List.of()));
  }

  @Test
  void oneStaleWriteLosesEveryUpdateSinceItsRead() {
    Transaction stale = written(1, 16, 1_000);
    Transaction second = written(2, 5, 1_000);
    Transaction third = written(3, 7, 1_005);
    Transaction after = written(4, 100, 1_016);
    LostUpdates found =
        of(
            List.of(stale, second, third, after),
            // 1000 +5 +7, then 1000 +16 over both, then +100.
            List.of(
                change(1, 1_000, 1_005),
                change(2, 1_005, 1_012),
                change(3, 1_012, 1_016),
                change(4, 1_016, 1_116)));

    assertThat(found.landed()).isEqualTo(4);
    assertThat(found.losses()).containsExactly(new Loss(second, stale), new Loss(third, stale));
    assertThat(found.staleWrites()).isOne();
    assertThat(found.inconsistencies()).isEmpty();
  }

  @Test
  void anOverwrittenUpdateThatAStaleWriteBringsBackIsNotLost() {
    Transaction first = written(1, 16, 1_000);
    Transaction over = written(2, 5, 1_000);
    Transaction back = written(3, 7, 1_016);
    LostUpdates found =
        of(
            List.of(first, over, back),
            // +16, then 1000 +5 over it, then 1016 +7 over that: 16 and 7 are there, 5 is not.
            List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_005), change(3, 1_005, 1_023)));

    assertThat(found.losses()).containsExactly(new Loss(over, back));
    assertThat(found.staleWrites()).isEqualTo(2);
    assertThat(found.inconsistencies()).isEmpty();
  }

  @Test
  void theOrderIsThatOfTheDatabaseAndNotOfTheList() {
    LostUpdates found =
        of(
            List.of(written(2, 5, 1_016), written(1, 16, 1_000)),
            List.of(change(2, 1_016, 1_021), change(1, 1_000, 1_016)));

    assertThat(found).isEqualTo(new LostUpdates(2, List.of(), 0, List.of()));
  }

  @Test
  void anUnknownOutcomeCountsIfItLanded() {
    Transaction unknown = transaction(1, 16, 1_000, Outcome.UNKNOWN);

    assertThat(of(List.of(unknown), List.of(change(1, 1_000, 1_016))).landed()).isOne();
    assertThat(of(List.of(unknown), List.of()))
        .isEqualTo(new LostUpdates(0, List.of(), 0, List.of()));
  }

  @Test
  void eachAccountIsJudgedByItself() {
    Transaction bob =
        new Transaction(2, 0, "bob", 5, 1, 2, 3, 4, 5, 0, 1_000, 1_005, Outcome.WRITTEN, 0, "");
    LostUpdates found =
        of(
            List.of(written(1, 16, 1_000), bob),
            List.of(change(1, 1_000, 1_016), new Change(2, "bob", 1_000, 1_005, 0)));

    assertThat(found).isEqualTo(new LostUpdates(2, List.of(), 0, List.of()));
  }

  @Test
  void theTokenTellsTwoWritesOfTheSameBalanceApart() {
    Transaction first = transaction(1, 16, 1_000, Outcome.WRITTEN, 33, 10, 15, 0);
    // 1000 + 16 and 1010 + 6.
    Transaction second = transaction(2, 6, 1_010, Outcome.WRITTEN, 35, 20, 25, 0);
    Transaction between = transaction(3, 10, 1_000, Outcome.WRITTEN, 34, 16, 18, 0);
    LostUpdates found =
        of(
            List.of(second, first, between),
            List.of(
                new Change(1, "alice", 1_000, 1_016, 33),
                new Change(2, "alice", 1_016, 1_010, 34),
                new Change(3, "alice", 1_010, 1_016, 35)));

    assertThat(found.losses()).containsExactly(new Loss(first, between));
    assertThat(found.inconsistencies()).isEmpty();
  }

  @Test
  void anAcknowledgedWriteThatNoChangeTellsOfIsInconsistent() {
    LostUpdates found =
        of(List.of(written(1, 16, 1_000), written(2, 5, 1_016)), List.of(change(1, 1_000, 1_016)));

    assertThat(found.inconsistencies())
        .containsExactly(
            "alice: transaction 2 was told that its 1021 was written, but no change says so");
  }

  @Test
  void aChangeOfNobodyIsInconsistent() {
    LostUpdates found =
        of(
            List.of(written(1, 16, 1_000)),
            List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_050)));

    assertThat(found.inconsistencies())
        .first()
        .isEqualTo("alice: change 2 from 1016 to 1050 with token 0 is nobody's");
    // And 1000 + 16 is not 1050.
    assertThat(found.inconsistencies())
        .last()
        .isEqualTo(
            "alice: the last balance is 1050, but 1000 at first and the amounts in it make 1016");
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"WRITTEN", "UNKNOWN"})
  void aWriteThatLandedAlthoughItsClientWasToldOtherwiseIsInconsistent(Outcome outcome) {
    LostUpdates found =
        of(List.of(transaction(1, 16, 1_000, outcome)), List.of(change(1, 1_000, 1_016)));

    assertThat(found.inconsistencies())
        .first()
        .asString()
        .endsWith("is that of transaction 1 with token 0, which ended as " + outcome);
    assertThat(found.landed()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"WRITTEN", "UNKNOWN"})
  void anAttemptThatDidNotWriteIsNotLostAndItsRetryIsOneUpdate(Outcome outcome) {
    LostUpdates found =
        of(
            List.of(
                transaction(1, 16, 1_000, outcome), written(2, 5, 1_000), written(1, 16, 1_005)),
            List.of(change(1, 1_000, 1_005), change(2, 1_005, 1_021)));

    assertThat(found).isEqualTo(new LostUpdates(2, List.of(), 0, List.of()));
  }

  @Test
  void anUnknownOutcomeThatLandedAndWasOverwrittenIsLost() {
    Transaction unknown = transaction(1, 16, 1_000, Outcome.UNKNOWN);
    Transaction stale = written(2, 5, 1_000);
    LostUpdates found =
        of(List.of(unknown, stale), List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_005)));

    assertThat(found.landed()).isEqualTo(2);
    assertThat(found.losses()).containsExactly(new Loss(unknown, stale));
  }

  @Test
  void anUnknownOutcomeCanOverwriteToo() {
    Transaction lost = written(1, 16, 1_000);
    Transaction unknown = transaction(2, 5, 1_000, Outcome.UNKNOWN);
    LostUpdates found =
        of(List.of(lost, unknown), List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_005)));

    assertThat(found.losses()).containsExactly(new Loss(lost, unknown));
  }

  @Test
  void couponsAreTakenAndLostLikeDeposits() {
    Transaction stale = written(1, -16, 1_000);
    Transaction lost = written(2, -5, 1_000);
    LostUpdates found =
        of(List.of(stale, lost), List.of(change(1, 1_000, 995), change(2, 995, 984)));

    assertThat(found).isEqualTo(new LostUpdates(2, List.of(new Loss(lost, stale)), 1, List.of()));
  }

  @Test
  void everyUpdateButTheLastCanBeLost() {
    Transaction first = written(1, 16, 1_000);
    Transaction second = written(2, 5, 1_000);
    Transaction last = written(3, 7, 1_000);
    LostUpdates found =
        of(
            List.of(first, second, last),
            List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_005), change(3, 1_005, 1_007)));

    assertThat(found.landed()).isEqualTo(3);
    assertThat(found.losses()).containsExactly(new Loss(first, second), new Loss(second, last));
  }

  @Test
  void ofABalanceThatCameTwiceTheLaterOneWasRead() {
    Transaction first = transaction(1, 16, 1_000, Outcome.WRITTEN, 33, 10, 15, 0);
    Transaction over = transaction(2, 10, 1_000, Outcome.WRITTEN, 34, 16, 18, 0);
    Transaction again = transaction(3, 6, 1_010, Outcome.WRITTEN, 35, 20, 25, 0);
    Transaction after = transaction(4, 1, 1_016, Outcome.WRITTEN, 36, 30, 35, 0);
    LostUpdates found =
        of(
            List.of(first, over, again, after),
            List.of(
                new Change(1, "alice", 1_000, 1_016, 33),
                new Change(2, "alice", 1_016, 1_010, 34),
                new Change(3, "alice", 1_010, 1_016, 35),
                new Change(4, "alice", 1_016, 1_017, 36)));

    assertThat(found).isEqualTo(new LostUpdates(4, List.of(new Loss(first, over)), 1, List.of()));
  }

  @Test
  void aGapInTheLogIsInconsistent() {
    LostUpdates found =
        of(
            List.of(written(1, 16, 1_000), written(2, 5, 1_016)),
            List.of(change(1, 1_000, 1_016), change(2, 1_020, 1_021)));

    assertThat(found.inconsistencies())
        .containsExactly(
            "alice: change 2 found a balance of 1020, but the change before it had left 1016");
  }

  @Test
  void aBalanceThatWasNeverThereIsInconsistent() {
    LostUpdates found = of(List.of(written(1, 16, 990)), List.of(change(1, 1_000, 1_006)));

    assertThat(found.inconsistencies())
        .contains("alice: transaction 1 read 990, which the account had never held");
  }

  @Test
  void aWriteThatIsNotItsReadAndItsAmountIsInconsistent() {
    Transaction wrong =
        new Transaction(1, 0, "alice", 16, 1, 2, 3, 4, 5, 0, 1_000, 1_017, Outcome.WRITTEN, 0, "");

    assertThat(of(List.of(wrong), List.of(change(1, 1_000, 1_017))).inconsistencies())
        .containsExactly(
            "alice: the last balance is 1017, but 1000 at first and the amounts in it make 1016");
  }

  @Test
  void twoTransactionsOfOneAmountAreInconsistent() {
    LostUpdates found =
        of(
            List.of(written(1, 16, 1_000), written(2, 16, 1_000)),
            List.of(change(1, 1_000, 1_016), change(2, 1_016, 1_016)));

    assertThat(found.inconsistencies())
        .contains(
            "transactions 1 and 2 both add 16, so they cannot be told apart",
            "alice: change 1 to 1016 can be that of transaction 1 as well as of 2");
  }

  private static Transaction written(int number, long amount, long read) {
    return transaction(number, amount, read, Outcome.WRITTEN);
  }

  private static LostUpdates of(List<Transaction> transactions, List<Change> changes) {
    return LostUpdates.of(run("an arm", transactions, changes));
  }
}
