package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The one-way road from live to closed or lost. */
class LeaseStateTest {

  private final List<String> told = new ArrayList<>();
  private final Queue<Runnable> handedOver = new ArrayDeque<>();
  private final LeaseState state = new LeaseState(handedOver::add);

  private void runHandedOver() {
    for (Runnable next = handedOver.poll(); next != null; next = handedOver.poll()) {
      next.run();
    }
  }

  @Test
  void beginsLive() {
    assertThat(state.isLive()).isTrue();
    assertThat(state.isClosed()).isFalse();
    assertThat(state.isLost()).isFalse();
  }

  @Test
  void closedLeaseIsNeverLostAndTellsNobody() {
    state.onLost(() -> told.add("before"));

    assertThat(state.close()).isTrue();
    assertThat(state.close()).as("closed by the second call").isFalse();
    assertThat(state.lose()).as("lost after it was closed").isFalse();
    state.onLost(() -> told.add("after"));

    assertThat(state.isLive()).isFalse();
    assertThat(state.isClosed()).isTrue();
    assertThat(state.isLost()).isFalse();
    assertThat(handedOver).isEmpty();
  }

  @Test
  void lostLeaseIsNeverClosedAndTellsEachListenerOnce() {
    state.onLost(() -> told.add("first"));
    state.onLost(() -> told.add("second"));
    assertThat(handedOver).isEmpty();

    assertThat(state.lose()).isTrue();
    assertThat(state.lose()).as("lost by the second call").isFalse();
    assertThat(state.close()).as("closed after it was lost").isFalse();
    assertThat(told).as("told on the caller's thread").isEmpty();
    runHandedOver();

    assertThat(told).containsExactlyInAnyOrder("first", "second");
    assertThat(state.isLive()).isFalse();
    assertThat(state.isClosed()).isFalse();
    assertThat(state.isLost()).isTrue();
  }

  @Test
  void listenerThatComesAfterTheLossIsToldAtOnce() {
    state.lose();

    state.onLost(() -> told.add("late"));

    assertThat(handedOver).hasSize(1);
    runHandedOver();
    assertThat(told).containsExactly("late");
  }

  @Test
  void listenerSeesTheLeaseAsLost() {
    state.onLost(() -> told.add(state.isLost() ? "lost" : "not lost"));
    state.lose();
    runHandedOver();
    assertThat(told).containsExactly("lost");
  }

  @Test
  void executorThatIsShutDownKeepsNoOtherListenerFromBeingTold() {
    AtomicInteger calls = new AtomicInteger();
    LeaseState strict =
        new LeaseState(
            listener -> {
              if (calls.incrementAndGet() == 1) {
                throw new RejectedExecutionException("shut down, says the test");
              }
              listener.run();
            });
    strict.onLost(() -> told.add("first"));
    strict.onLost(() -> told.add("second"));

    assertThat(strict.lose()).isTrue();

    assertThat(told).containsExactly("first");
  }
}
