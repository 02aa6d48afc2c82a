package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Setup;
import dev.fencing.examples.comparison.server.Node;
import dev.fencing.examples.comparison.server.ServerException;
import dev.fencing.examples.comparison.server.Servers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lock servers of one arm, started for it alone, but for ZooKeeper; ended when it is closed.
 */
final class Equipment implements AutoCloseable {

  private static final int REDLOCK_SERVERS = 5;

  private final Servers servers;
  private final List<Node> nodes = new ArrayList<>();
  private final Path primaryFile;
  private @Nullable RedisPair pair;

  private Equipment(Servers servers) {
    this.servers = servers;
    this.primaryFile = servers.directory().resolve("redis-primary");
  }

  static Equipment of(Arm arm, Servers servers) throws IOException, InterruptedException {
    Equipment equipment = new Equipment(servers);
    try {
      equipment.start(arm);
    } catch (IOException | InterruptedException | RuntimeException e) {
      equipment.close();
      throw e;
    }
    return equipment;
  }

  private void start(Arm arm) throws IOException, InterruptedException {
    switch (arm.need()) {
      case NOTHING, ZOOKEEPER -> {}
      case REDIS -> nodes.add(servers.redis());
      case REDIS_PAIR -> pair = new RedisPair(servers, primaryFile);
      case FIVE_REDIS -> {
        for (int i = 0; i < REDLOCK_SERVERS; i++) {
          nodes.add(servers.redis());
        }
        if (arm == Arm.REDLOCK_ONE_DEAD) {
          servers.end(nodes.get(REDLOCK_SERVERS - 1));
        }
      }
      case ETCD ->
          nodes.add(
              servers.etcd(
                  Servers.etcdProgram()
                      .orElseThrow(() -> new ServerException("no etcd is installed"))));
    }
  }

  /** Adds the addresses of the servers to what is known of the arm. */
  Setup addTo(Setup setup, Arm arm) {
    List<String> addresses = nodes.stream().map(node -> "127.0.0.1:" + node.port()).toList();
    boolean etcd = arm.need() == Arm.Need.ETCD;
    return new Setup(
        setup.workload(),
        setup.jdbcUrl(),
        setup.zookeeper(),
        etcd ? List.of() : addresses,
        primaryFile.toString(),
        etcd ? addresses.get(0) : "",
        setup.leaseMillis(),
        setup.waitMillis(),
        setup.thinkMillis());
  }

  List<Node> nodes() {
    return nodes;
  }

  RedisPair pair() {
    RedisPair there = pair;
    if (there == null) {
      throw new IllegalStateException("the arm has no primary and replica");
    }
    return there;
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      pair.close();
    }
    nodes.forEach(servers::end);
  }
}
