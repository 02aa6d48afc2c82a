package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void medianOfAnOddNumberIsTheMiddleOneInWhateverOrder() {
    assertThat(Spread.of(9, 1, 5)).isEqualTo(new Spread(1, 5, 9));
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    assertThat(Spread.of(4, 1, 2, 10)).isEqualTo(new Spread(1, 3, 10));
  }

  @Test
  void ratioIsTakenWithinEachRound() {
    // A slow second round slows both: the ratio of the medians would be 150/100.
    double[] ours = {300, 30, 150};
    double[] curators = {100, 10, 150};

    assertThat(Spread.ofRatios(ours, curators)).isEqualTo(new Spread(1, 3, 3));
  }

  @Test
  void roundsThatDoNotMatchAreRefused() {
    assertThatThrownBy(() -> Spread.ofRatios(new double[2], new double[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 rounds over 3");
    assertThatThrownBy(Spread::of).isInstanceOf(IllegalArgumentException.class);
  }
}
