package dev.fencing.benchmarks;

import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestRecord;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server that counts, by kind, the requests that clients send; pings are none. */
final class CountingServer extends ZooKeeperServer {

  private static final int TICK_MILLIS = 2_000;

  private final ConcurrentMap<Integer, LongAdder> received = new ConcurrentHashMap<>();

  CountingServer(File directory) throws IOException {
    super(directory, directory, TICK_MILLIS);
  }

  @Override
  public void processPacket(ServerCnxn connection, RequestHeader header, RequestRecord record)
      throws IOException {
    if (header.getType() != OpCode.ping) {
      received.computeIfAbsent(header.getType(), type -> new LongAdder()).increment();
    }
    super.processPacket(connection, header, record);
  }

  ServerCounts counts() {
    Map<String, Long> requests = new TreeMap<>();
    received.forEach((type, count) -> requests.put(Request.op2String(type), count.sum()));
    DataTree tree = getZKDatabase().getDataTree();
    return new ServerCounts(
        requests, tree.getWatchCount(), tree.getNodeCount(), tree.getEphemeralsCount());
  }

  /** Deletes empty containers, as a server by itself does once a minute. */
  void sweep() throws InterruptedException {
    new ContainerManager(getZKDatabase(), firstProcessor, 1, Integer.MAX_VALUE).checkContainers();
  }
}
