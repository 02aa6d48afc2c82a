package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

  @Test
  void orderAlternatesAndTheWarmUpIsThrownAway() throws Exception {
    List<String> order = new ArrayList<>();
    double[] next = {0};
    Rounds rounds = new Rounds();
    for (String name : List.of("A", "B")) {
      rounds.with(
          name,
          () -> {
            order.add(name);
            return ++next[0];
          });
    }

    rounds.run(1, 3);

    assertThat(order).containsExactly("A", "B", "A", "B", "B", "A", "A", "B");
    assertThat(rounds.of("A")).containsExactly(3, 6, 7);
    assertThat(rounds.of("B")).containsExactly(4, 5, 8);
    assertThat(rounds.ratio("A", "B")).isEqualTo(Spread.of(3.0 / 4, 6.0 / 5, 7.0 / 8));
  }
}
