package dev.fencing.examples.comparison.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapsTest {

  @Test
  void holdersThatFollowOneAnotherDoNotOverlap() {
    assertThat(Overlaps.count(List.of(hold("a", 10, 20, 25), hold("a", 22, 30, 31)))).isZero();
  }

  @Test
  void aGrantInTheMomentOfTheEndIsNone() {
    assertThat(Overlaps.count(List.of(hold("a", 10, 20, 25), hold("a", 20, 30, 31)))).isZero();
  }

  @Test
  void aGrantWhileAnotherIsAtWorkIsAnOverlap() {
    assertThat(Overlaps.count(List.of(hold("a", 10, 90, 95), hold("a", 22, 30, 31)))).isOne();
  }

  @Test
  void aLongHoldIsOverlappedByEachGrantWithinIt() {
    List<Transaction> holds =
        List.of(hold("a", 10, 90, 95), hold("a", 40, 50, 51), hold("a", 22, 30, 31));

    assertThat(Overlaps.count(holds)).isEqualTo(2);
  }

  @Test
  void locksOfTwoAccountsDoNotOverlap() {
    assertThat(Overlaps.count(List.of(hold("a", 10, 90, 95), hold("b", 22, 30, 31)))).isZero();
  }

  @Test
  void whoGotNoLockOverlapsNothing() {
    assertThat(Overlaps.count(List.of(hold("a", 10, 90, 95), hold("a", 0, 80, 0)))).isZero();
  }

  private static Transaction hold(String account, long acquired, long ended, long released) {
    return new Transaction(
        1, 0, account, 1, 5, acquired, acquired, ended, released, 0, 0, 1, Outcome.WRITTEN, 0, "");
  }
}
