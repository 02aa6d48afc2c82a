package dev.fencing.harness.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.harness.history.FaultKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ScheduleTest {

  private static final Mix MIX = Mix.everything(true);
  private static final Duration LENGTH = Duration.ofMinutes(5);

  @Test
  void theSameSeedDrawsTheSameFaults() {
    assertThat(Schedule.of(42, MIX, LENGTH)).isEqualTo(Schedule.of(42, MIX, LENGTH));
  }

  @Test
  void aLongerRunBeginsWithTheSameFaults() {
    List<Planned> longer = Schedule.of(42, MIX, LENGTH.multipliedBy(2)).lanes().get(0);
    List<Planned> shorter = Schedule.of(42, MIX, LENGTH).lanes().get(0);

    assertThat(longer).startsWith(shorter.toArray(new Planned[0]));
  }

  @Test
  void anotherSeedDrawsOthers() {
    assertThat(Schedule.of(42, MIX, LENGTH).lanes().get(0))
        .isNotEqualTo(Schedule.of(43, MIX, LENGTH).lanes().get(0));
  }

  @Test
  void everyKindThatTheMixHasIsDrawn() {
    Set<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
    Schedule.of(42, MIX, LENGTH).lanes().forEach(lane -> lane.forEach(f -> drawn.add(f.kind())));

    assertThat(drawn).containsAll(MIX.holders().keySet()).containsAll(MIX.servers().keySet());
  }

  @Test
  void halfOfThePausesComeAtRandom() {
    List<Planned> pauses =
        Schedule.of(42, MIX, LENGTH).lanes().stream()
            .flatMap(List::stream)
            .filter(fault -> fault.kind() == FaultKind.PAUSE_HOLDER)
            .toList();
    long random = pauses.stream().filter(fault -> fault.at() == null).count();

    assertThat((double) random / pauses.size()).isBetween(0.45, 0.55);
  }

  @Test
  void eachLockHasFaultsOfItsOwn() {
    List<List<Planned>> lanes = Schedule.of(42, MIX, LENGTH).lanes();

    assertThat(lanes.stream().map(lane -> lane.get(0).lane()).collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    assertThat(lanes.get(0).stream().map(Planned::length).toList())
        .isNotEqualTo(lanes.get(1).stream().map(Planned::length).toList());
  }
}
