package dev.fencing.curator;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/** Watches the data of one's own node for the request to give the lock up. */
final class RevocationWatch implements Watcher {

  /** What Curator's Revoker writes into the node. */
  private static final byte[] REQUEST = "__REVOKE__".getBytes(US_ASCII);

  private final LockNode node;
  private final Runnable requested;

  RevocationWatch(LockNode node, Runnable requested) {
    this.node = node;
    this.requested = requested;
  }

  /** Reads the node in the background and watches it until it is gone. */
  void look() {
    node.handle()
        .getData(
            node.queue().atServer(node.path()), this, (code, p, c, data, stat) -> read(data), null);
  }

  @Override
  public void process(WatchedEvent event) {
    if (event.getType() == Event.EventType.NodeDataChanged) {
      look();
    }
  }

  private void read(byte @Nullable [] data) {
    if (Arrays.equals(data, REQUEST)) {
      requested.run();
    }
  }
}
