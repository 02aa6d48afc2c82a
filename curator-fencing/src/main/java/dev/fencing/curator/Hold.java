package dev.fencing.curator;

import java.util.concurrent.atomic.AtomicInteger;

/** What one thread holds, and how often it has entered. Others only read. */
final class Hold {

  private final LockNode node;
  private final AtomicInteger entered = new AtomicInteger(1);

  Hold(LockNode node) {
    this.node = node;
  }

  LockNode node() {
    return node;
  }

  /** False once the last release was called, even if the delete did not get through. */
  boolean isEntered() {
    return entered.get() > 0;
  }

  void enterAgain() {
    node.requireNotLost();
    entered.incrementAndGet();
  }

  /** Returns whether it was the last time, or is being tried again. */
  boolean leave() {
    return entered.updateAndGet(times -> Math.max(0, times - 1)) == 0;
  }
}
