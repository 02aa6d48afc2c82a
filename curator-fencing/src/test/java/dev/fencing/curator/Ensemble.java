package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.ServerState;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** Three ZooKeeper servers that elect a leader, and lose it when the test says so. */
final class Ensemble {

  private static final int SIZE = 3;
  private static final int TICK_MS = 200;

  private final List<Properties> configurations = new ArrayList<>();
  private final Map<Properties, Member> running = new HashMap<>();

  Ensemble(File folder) throws Exception {
    int[] ports = freePorts(3 * SIZE);
    Properties servers = new Properties();
    for (int i = 0; i < SIZE; i++) {
      servers.setProperty(
          "server." + (i + 1),
          "127.0.0.1:%d:%d;127.0.0.1:%d"
              .formatted(ports[3 * i], ports[3 * i + 1], ports[3 * i + 2]));
    }
    for (int i = 0; i < SIZE; i++) {
      File data = new File(folder, "server-" + (i + 1));
      assertThat(data.mkdirs()).isTrue();
      Files.writeString(data.toPath().resolve("myid"), Integer.toString(i + 1));
      Properties configuration = new Properties();
      configuration.putAll(servers);
      configuration.setProperty("dataDir", data.getPath());
      configuration.setProperty("tickTime", Integer.toString(TICK_MS));
      configuration.setProperty("initLimit", "50");
      configuration.setProperty("syncLimit", "25");
      configuration.setProperty("maxSessionTimeout", Integer.toString(ZooKeeperCase.SESSION_MS));
      configurations.add(configuration);
    }
    start();
  }

  private static int[] freePorts(int count) throws IOException {
    List<ServerSocket> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    }
    int[] ports = taken.stream().mapToInt(ServerSocket::getLocalPort).toArray();
    for (ServerSocket socket : taken) {
      socket.close();
    }
    return ports;
  }

  String connectString() {
    return configurations.stream()
        .map(configuration -> "127.0.0.1:" + clientPort(configuration))
        .collect(Collectors.joining(","));
  }

  /** The port of one of the servers. */
  int port() {
    return clientPort(configurations.get(0));
  }

  private static int clientPort(Properties configuration) {
    String server = configuration.getProperty("server." + id(configuration));
    return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
  }

  private static String id(Properties configuration) {
    String data = configuration.getProperty("dataDir");
    return data.substring(data.lastIndexOf('-') + 1);
  }

  /** Starts the servers that do not run, on their data, and waits until there is a leader. */
  void start() {
    for (Properties configuration : configurations) {
      running.computeIfAbsent(configuration, Member::new);
    }
    awaitService();
  }

  /** Stops all servers. Their data stays, and so do the sessions. */
  void stop() throws Exception {
    for (Properties configuration : configurations) {
      stop(configuration);
    }
  }

  /** Stops the leader, waits until the others have a new one, and starts it again. */
  void changeLeader() throws Exception {
    stop(leader().configuration);
    awaitService();
    start();
  }

  /** Continues the current epoch at this counter. */
  void setCounter(int counter) {
    ZooKeeperServer server = leader().server().orElseThrow();
    server.setZxid((server.getZxid() >>> 32 << 32) + Integer.toUnsignedLong(counter));
  }

  /** The number of the current leader's reign, which is the upper half of its zxids. */
  long epoch() {
    return leader().server().orElseThrow().getZxid() >>> 32;
  }

  private Member leader() {
    return running.values().stream().filter(Member::isLeading).findFirst().orElseThrow();
  }

  private void awaitService() {
    ZooKeeperCase.eventually(
        () ->
            running.values().stream().anyMatch(Member::isLeading)
                && running.values().stream().allMatch(Member::serves));
  }

  private void stop(Properties configuration) throws Exception {
    Member member = running.remove(configuration);
    if (member != null) {
      member.stop();
    }
  }

  /** One run of one server. */
  private static final class Member extends QuorumPeerMain {

    private final Properties configuration;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Member(Properties configuration) {
      this.configuration = configuration;
      Thread thread = new Thread(() -> run(configuration), "zookeeper-" + id(configuration));
      thread.setDaemon(true);
      thread.start();
    }

    private void run(Properties configuration) {
      try {
        QuorumPeerConfig parsed = new QuorumPeerConfig();
        parsed.parseProperties(configuration);
        runFromConfig(parsed);
        ended.complete(null);
      } catch (Exception e) {
        ended.completeExceptionally(e);
      }
    }

    /** Empty while it looks for a leader. */
    Optional<ZooKeeperServer> server() {
      return Optional.ofNullable(quorumPeer).map(QuorumPeer::getActiveServer);
    }

    boolean serves() {
      return server().filter(ZooKeeperServer::isRunning).isPresent();
    }

    boolean isLeading() {
      return serves() && quorumPeer.getPeerState() == ServerState.LEADING;
    }

    void stop() throws Exception {
      quorumPeer.shutdown();
      ended.get(20, TimeUnit.SECONDS);
    }
  }
}
