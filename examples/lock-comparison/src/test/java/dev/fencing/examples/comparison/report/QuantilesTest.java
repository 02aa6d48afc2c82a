package dev.fencing.examples.comparison.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class QuantilesTest {

  @Test
  void ofTwoHundredTimesThe198thIsTheP99() {
    // 1 to 200 ms, from the last to the first.
    LongStream times = LongStream.rangeClosed(1, 200).map(i -> (201 - i) * 1_000_000);

    assertThat(Quantiles.ofNanos(times)).isEqualTo(new Quantiles(200, 2, 50, 100, 150, 198, 200));
  }

  @Test
  void ofFewTimesTheP99IsTheLongest() {
    assertThat(Quantiles.ofNanos(LongStream.of(3_000_000, 1_000_000, 2_500_000)))
        .isEqualTo(new Quantiles(3, 1, 1, 2.5, 3, 3, 3));
  }

  @Test
  void ofNoneThereAreNone() {
    double none = Double.NaN;

    assertThat(Quantiles.ofNanos(LongStream.of()))
        .isEqualTo(new Quantiles(0, none, none, none, none, none, none));
  }
}
