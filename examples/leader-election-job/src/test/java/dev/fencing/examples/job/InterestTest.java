package dev.fencing.examples.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterestTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "199, 0", // 0.4975 cents
    "200, 0", // half a cent, to the even 0
    "201, 1",
    "400, 1",
    "600, 2", // 1.5 cents, to the even 2
    "1000, 2", // 2.5 cents, to the even 2
    "100000, 250"
  })
  void isAQuarterPercentRoundedHalfToEven(long cents, long interest) {
    assertThat(Interest.of(cents)).isEqualTo(interest);
  }

  @Test
  void agreesWithDecimalArithmeticUpToTheLargestAmount() {
    LongStream amounts = new Random(20261130).longs(10_000, 0, Money.MAX_CENTS + 1);
    assertThat(LongStream.concat(amounts, LongStream.of(Money.MAX_CENTS)))
        .allSatisfy(cents -> assertThat(Interest.of(cents)).isEqualTo(exact(cents)));
  }

  private static long exact(long cents) {
    return BigDecimal.valueOf(cents)
        .multiply(new BigDecimal("0.0025"))
        .setScale(0, RoundingMode.HALF_EVEN)
        .longValueExact();
  }
}
