package dev.fencing.examples.comparison.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {

  @Test
  void timeJumpsToWhatIsPlannedNext() {
    VirtualTime time = new VirtualTime();
    List<String> happened = new ArrayList<>();
    time.after(20, () -> happened.add("third at " + time.now()));
    time.after(
        10,
        () -> {
          happened.add("first at " + time.now());
          time.after(0, () -> happened.add("second at " + time.now()));
        });
    time.run();

    assertThat(happened).containsExactly("first at 10", "second at 10", "third at 20");
  }
}
