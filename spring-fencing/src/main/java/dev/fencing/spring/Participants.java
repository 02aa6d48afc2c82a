package dev.fencing.spring;

import dev.fencing.curator.InterProcessFencedMutex;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException.NoNodeException;

/** Who holds a lock and who waits for it, for people. */
final class Participants {

  /** What every lock node has in its name, and no encoded value. */
  private static final String LOCK_NODE = "lock-";

  private Participants() {}

  /** What is in the nodes, the holder's first: an address, unless the client says otherwise. */
  static List<String> of(CuratorFramework client, InterProcessFencedMutex mutex) throws Exception {
    List<String> found = new ArrayList<>();
    try {
      for (String node : mutex.getParticipantNodes()) {
        if (!ZKPaths.getNodeFromPath(node).contains(LOCK_NODE)) {
          continue; // The path of a lock that is named after this one, such as account/17.
        }
        try {
          byte[] data = client.getData().forPath(node);
          found.add(data == null ? "?" : new String(data, StandardCharsets.UTF_8));
        } catch (NoNodeException e) {
          // It has left meanwhile.
        }
      }
    } catch (NoNodeException e) {
      // Nobody has locked this path yet.
    }
    return List.copyOf(found);
  }
}
