package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GoalTest {

  @Test
  void boundItselfMeetsTheGoal() {
    assertThat(Goal.atLeast(1.35).metBy(1.35)).isTrue();
    assertThat(Goal.atMost(1_400).metBy(1_400)).isTrue();
    assertThat(Goal.exactly(3).metBy(3)).isTrue();
  }

  @Test
  void otherSideOfTheBoundDoesNot() {
    assertThat(Goal.atLeast(1.35).metBy(1.34)).isFalse();
    assertThat(Goal.atMost(1_400).metBy(1_401)).isFalse();
    assertThat(Goal.exactly(3).metBy(2.99)).isFalse();
    assertThat(Goal.exactly(3).metBy(3.01)).isFalse();
  }

  @Test
  void missSaysByHowMuch() {
    assertThat(Goal.atLeast(1.35).missOf(1.08))
        .isEqualTo("1.08 instead of at least 1.35, misses by 0.27 (20 %)");
    assertThat(Goal.atMost(1_400).missOf(23_800))
        .isEqualTo("23,800 instead of at most 1,400, misses by 22,400 (1600 %)");
    assertThat(Goal.exactly(0).missOf(7)).isEqualTo("7 instead of exactly 0, misses by 7");
  }
}
