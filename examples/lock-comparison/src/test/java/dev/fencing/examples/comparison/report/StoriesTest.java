package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Histories.change;
import static dev.fencing.examples.comparison.report.Histories.run;
import static dev.fencing.examples.comparison.report.Histories.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StoriesTest {

  /** Stopped for 150 ms between its read of 1,000 and its write. */
  private static final Transaction STALE =
      transaction(1, 16, 1_000, Outcome.WRITTEN, 0, 10, 210, 150);

  private static final Transaction LOST = transaction(2, 5, 1_000, Outcome.WRITTEN, 0, 100, 110, 0);

  @Test
  void aLostUpdateIsToldFromBothSides() {
    assertThat(told(STALE, LOST))
        .singleElement()
        .satisfies(
            story ->
                assertThat(story.moral())
                    .isEqualTo(
                        "Both clients were told that their write had succeeded. The balance holds"
                            + " the 16 of client 1, and not the 5 of client 2."));
  }

  @Test
  void anOutcomeThatNobodyWasToldIsNotToldAsASuccess() {
    assertThat(told(STALE, transaction(2, 5, 1_000, Outcome.UNKNOWN, 0, 100, 110, 0))).isEmpty();
    assertThat(told(transaction(1, 16, 1_000, Outcome.UNKNOWN, 0, 10, 210, 150), LOST)).isEmpty();
  }

  @Test
  void whoHeldTheLockBeforeIsNotToldAsTheOneWhoCameMeanwhile() {
    Transaction before = transaction(2, 5, 1_000, Outcome.WRITTEN, 0, 5, 110, 0);
    Transaction stoppedToo = transaction(2, 5, 1_000, Outcome.WRITTEN, 0, 30, 110, 50);

    assertThat(told(STALE, before)).isEmpty();
    assertThat(told(STALE, stoppedToo)).isEmpty();
  }

  @Test
  void whereOthersWroteInBetweenIsToldOnlyForWantOfASimplerStory() {
    // 1000 +5, then 1000 +16 over it; 1016 +1 +2, then 1016 +32 over both after a longer stop.
    Transaction stopped = transaction(3, 1, 1_016, Outcome.WRITTEN, 0, 330, 340, 5);
    Transaction after = transaction(4, 2, 1_017, Outcome.WRITTEN, 0, 350, 360, 0);
    Transaction longer = transaction(5, 32, 1_016, Outcome.WRITTEN, 0, 300, 600, 250);
    List<Transaction> simple = List.of(STALE, LOST);
    List<Transaction> mixed = List.of(stopped, after, longer);
    List<Change> first = List.of(change(1, 1_000, 1_005), change(2, 1_005, 1_016));
    List<Change> then =
        List.of(change(3, 1_016, 1_017), change(4, 1_017, 1_019), change(5, 1_019, 1_048));

    assertThat(stories(Protection.LEASE, concat(simple, mixed), concat(first, then)))
        .singleElement()
        .satisfies(story -> assertThat(story.moral()).contains("not the 5 of client 2"));
    assertThat(stories(Protection.LEASE, mixed, then))
        .singleElement()
        .satisfies(story -> assertThat(story.moral()).contains("not the 2 of client 2"));
  }

  private static <T> List<T> concat(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  @Test
  void couponsAreTaken() {
    Transaction stale = transaction(1, -16, 1_000, Outcome.WRITTEN, 0, 10, 210, 150);
    Transaction lost = transaction(2, -5, 1_000, Outcome.WRITTEN, 0, 100, 110, 0);

    assertThat(told(stale, lost).get(0).steps())
        .extracting(Story.Step::first)
        .last()
        .isEqualTo("writes 1,000 - 16 = 984, told that it succeeded");
  }

  @Test
  void aRefusalIsToldWithTheNewerTokenThatWroteMeanwhile() {
    Transaction stale = transaction(1, 16, 1_000, Outcome.REFUSED, 34, 10, 210, 150);
    Transaction older = transaction(2, 5, 995, Outcome.WRITTEN, 33, 1, 5, 0);
    Transaction newer = transaction(3, 7, 1_000, Outcome.WRITTEN, 35, 100, 110, 0);
    List<Story> stories =
        stories(
            Protection.FENCED,
            List.of(older, stale, newer),
            List.of(
                new Change(1, "alice", 995, 1_000, 33), new Change(2, "alice", 1_000, 1_007, 35)));

    assertThat(stories)
        .singleElement()
        .satisfies(
            story -> {
              assertThat(story.moral()).contains("token 34 is lower than 35. The 7 of client 2");
              assertThat(story.steps())
                  .extracting(Story.Step::database)
                  .last()
                  .isEqualTo("refused: it has seen token 35");
            });
  }

  @Test
  void aRefusalIsNotToldWithAnOlderTokenThatReadTheSame() {
    Transaction stale = transaction(1, 16, 1_000, Outcome.REFUSED, 34, 10, 210, 150);
    Transaction older = transaction(2, 5, 1_000, Outcome.WRITTEN, 33, 100, 110, 0);

    assertThat(
            stories(
                Protection.FENCED,
                List.of(stale, older),
                List.of(new Change(1, "alice", 1_000, 1_005, 33))))
        .isEmpty();
  }

  private static List<Story> told(Transaction stale, Transaction lost) {
    return stories(
        Protection.LEASE,
        List.of(stale, lost),
        List.of(change(1, lost.read(), lost.wrote()), change(2, lost.wrote(), stale.wrote())));
  }

  private static List<Story> stories(
      Protection protection, List<Transaction> transactions, List<Change> changes) {
    ArmResult arm =
        new ArmResult(protection, null, List.of(run("arm", transactions, changes)), null, null);
    return Stories.of(List.of(Figures.of(arm)));
  }
}
