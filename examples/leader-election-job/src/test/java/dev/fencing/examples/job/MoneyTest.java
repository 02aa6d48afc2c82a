package dev.fencing.examples.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MoneyTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.01, 1",
    "12, 1200",
    "12.5, 1250",
    "12.50, 1250",
    "007.00, 700",
    "9999999999.99, 999999999999"
  })
  void readsWholeCents(String text, long cents) {
    assertThat(Money.parse(text)).isEqualTo(cents);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "1.", ".5", "1.005", "1,5", "1e3", "+1", "0x10", "NaN", "10000000000"})
  void refusesWhatIsNoAmount(String text) {
    assertThatThrownBy(() -> Money.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" is no amount between 0.00 and 9,999,999,999.99");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-0.01"})
  void refusesNegativeAmounts(String text) {
    assertThatThrownBy(() -> Money.parse(text)).hasMessage("the amount " + text + " is negative");
  }

  @ParameterizedTest
  @CsvSource({"0, 0.00", "5, 0.05", "-5, -0.05", "-150, -1.50", "123456789, '1,234,567.89'"})
  void writesTwoDecimalPlaces(long cents, String text) {
    assertThat(Money.format(cents)).isEqualTo(text);
  }
}
