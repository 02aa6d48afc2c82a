package dev.fencing.curator;

import java.util.concurrent.TimeUnit;

/**
 * A contender's wait behind a node of the same mutex object, without a watch.
 *
 * <p>The neighbour hands the lock on when ZooKeeper has confirmed that its node is deleted.
 */
final class Neighbour implements InFront {

  /** A wait this long is not worth a bet that nobody but the neighbour itself deletes its node. */
  private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Contender contender;
  private final LockNode node;
  private final long since = System.nanoTime();

  /**
   * @param node the one in front
   */
  Neighbour(Contender contender, LockNode node) {
    this.contender = contender;
    this.node = node;
  }

  /**
   * @param heldLast whether it held the lock, so that nobody is in front any more
   */
  void gone(boolean heldLast) {
    contender.goneInFront(this, heldLast);
  }

  @Override
  public void lookAfter() {
    if (System.nanoTime() - since > TRUSTED_NANOS && node.unfollow(this)) {
      gone(false); // The contender lists, and watches what it finds.
    }
  }

  @Override
  public void leave() {
    node.unfollow(this);
  }
}
