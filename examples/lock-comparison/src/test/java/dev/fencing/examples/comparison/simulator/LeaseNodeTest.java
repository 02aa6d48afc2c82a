package dev.fencing.examples.comparison.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeaseNodeTest {

  private final LeaseNode node = new LeaseNode();

  @Test
  void aLeaseKeepsOthersOutUntilItIsOver() {
    assertThat(node.tryLock("a", 1, 0, 100)).isTrue();
    assertThat(node.tryLock("a", 2, 99, 100)).isFalse();
    assertThat(node.tryLock("b", 2, 99, 100)).isTrue();
    assertThat(node.tryLock("a", 2, 100, 100)).isTrue();
  }

  @Test
  void onlyTheOwnerUnlocks() {
    node.tryLock("a", 1, 0, 100);
    node.unlock("a", 2);
    assertThat(node.tryLock("a", 2, 50, 100)).isFalse();
    node.unlock("a", 1);
    assertThat(node.tryLock("a", 2, 50, 100)).isTrue();
  }
}
