package dev.fencing.examples.comparison.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.arm.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {

  private static final int MANY = 10_000;

  @Test
  void isTheSameForTheSameSeedAndAnotherForAnother() {
    assertThat(draw(7, Workload.ACCOUNTS)).isEqualTo(draw(7, Workload.ACCOUNTS));
    assertThat(draw(7, Workload.ACCOUNTS)).isNotEqualTo(draw(8, Workload.ACCOUNTS));
  }

  @Test
  void givesEachTransactionAnAmountOfItsOwn() {
    assertThat(draw(7, Workload.ACCOUNTS)).extracting(Planned::amount).doesNotHaveDuplicates();
  }

  @Test
  void stopsAsManyAndAsLongAsItIsTold() {
    List<Planned> stopped =
        draw(7, Workload.ACCOUNTS).stream().filter(each -> each.pause() > 0).toList();
    assertThat(stopped.size()).isBetween(MANY / 5 - 200, MANY / 5 + 200); // Five sigmas.
    assertThat(stopped).allSatisfy(each -> assertThat(each.pause()).isBetween(0.5, 2.0));
    assertThat(stopped).extracting(Planned::beforeCheck).contains(true, false);
  }

  @Test
  void letsAServerFailDuringEveryFifthPause() {
    List<Planned> stopped =
        draw(7, Workload.ACCOUNTS).stream().filter(each -> each.pause() > 0).toList();
    for (int i = 0; i < stopped.size(); i++) {
      assertThat(stopped.get(i).fault()).as("pause " + (i + 1)).isEqualTo(i % 5 == 4);
    }
    assertThat(draw(7, Workload.ACCOUNTS))
        .filteredOn(each -> each.pause() == 0)
        .extracting(Planned::fault)
        .containsOnly(false);
  }

  @Test
  void takesCouponsWhereItAddsToAccounts() {
    assertThat(draw(7, Workload.COUPONS))
        .extracting(Planned::amount)
        .isEqualTo(draw(7, Workload.ACCOUNTS).stream().map(each -> -each.amount()).toList());
  }

  private static List<Planned> draw(long seed, Workload workload) {
    return new Schedule(seed, workload, MANY, 4, 0.2, 0.5, 2.0).draw();
  }
}
