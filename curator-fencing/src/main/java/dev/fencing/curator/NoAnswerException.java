package dev.fencing.curator;

import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;

/** ZooKeeper did not answer within the bound of a timed acquire. */
final class NoAnswerException extends KeeperException.ConnectionLossException {

  private static final long serialVersionUID = 1L;

  private final String message;

  NoAnswerException(LockQueue queue, Deadline deadline) {
    this.message =
        "no answer from ZooKeeper for the lock %s within %d ms, %d of them to wait for the lock (%s): it is"
                .formatted(
                    queue.lockPath(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - deadline.start()),
                    TimeUnit.NANOSECONDS.toMillis(deadline.bound()),
                    queue.client().getZookeeperClient().isConnected()
                        ? "connected, so the server or Curator's event thread is busy"
                        : "not connected")
            + " not known whether it is free; nothing is held, and a node that was created is deleted"
            + " once ZooKeeper answers";
  }

  @Override
  public String getMessage() {
    return message;
  }
}
