package dev.fencing.examples.comparison.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuTimeTest {

  // User, nice, system, idle, waiting for disks, interrupts twice, stolen; then guests, in user.
  private static final String BEFORE = "cpu  100 10 50 800 20 0 5 15 70 0";
  private static final String AFTER = "cpu  300 10 150 1400 20 0 5 115 270 0";

  @Test
  void tellsWhatTheHostHasTakenOfTheTimeSinceThen() {
    assertThat(CpuTime.parse(AFTER).stolenSince(CpuTime.parse(BEFORE))).isEqualTo("10.0 %");
  }

  @Test
  void knowsNothingWhereNothingIsCounted() {
    CpuTime none = new CpuTime(0, 0);
    assertThat(none.stolenSince(none)).isEqualTo("unknown");
  }
}
