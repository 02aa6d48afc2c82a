package dev.fencing.harness.stage;

import dev.fencing.fixtures.ChildJvm;
import dev.fencing.fixtures.Reaper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Three ZooKeeper servers in JVMs of their own, each of which can be killed, frozen and emptied.
 */
public final class Ensemble implements AutoCloseable {

  public static final Duration TICK = Duration.ofMillis(250);
  private static final int SIZE = Stage.SERVERS;
  private static final Duration START = Duration.ofSeconds(60);
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final Path directory;
  private final Reaper reaper;
  private final List<Integer> ports;
  private final List<Integer> peerPorts;
  private final @Nullable ChildJvm[] servers = new ChildJvm[SIZE];

  private Ensemble(Path directory, Reaper reaper) throws IOException {
    this.directory = directory;
    this.reaper = reaper;
    List<Integer> free = freePorts(3 * SIZE);
    this.ports = free.subList(0, SIZE);
    this.peerPorts = free.subList(SIZE, 3 * SIZE);
  }

  static Ensemble start(Path directory, Reaper reaper) throws IOException {
    Ensemble ensemble = new Ensemble(Files.createDirectories(directory), reaper);
    for (int i = 0; i < SIZE; i++) {
      ensemble.startServer(i);
    }
    return ensemble;
  }

  /** Starts a server that is not running, on the data that it has. */
  public synchronized void startServer(int i) throws IOException {
    if (servers[i] != null) {
      return;
    }
    Path home = Files.createDirectories(directory.resolve("zk" + i));
    Path data = Files.createDirectories(home.resolve("data"));
    Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
    Path config = home.resolve("zoo.cfg");
    Files.writeString(config, config(i, data));
    ChildJvm server =
        ChildJvm.start(
            List.of(
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dzookeeper.forceSync=no", // A kill loses no page cache, and no fault cuts power.
                "-Dzookeeper.maxCnxns=0",
                "-Dorg.slf4j.simpleLogger.showDateTime=true",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                "-Dorg.slf4j.simpleLogger.logFile=" + log(i)),
            ZooKeeperMain.class,
            config.toString());
    reaper.started(server.handle().pid());
    servers[i] = server;
  }

  private String config(int i, Path data) {
    StringBuilder text = new StringBuilder();
    text.append("tickTime=").append(TICK.toMillis()).append('\n');
    text.append("initLimit=40\nsyncLimit=8\nmaxClientCnxns=0\nadmin.enableServer=false\n");
    text.append("4lw.commands.whitelist=srvr\nminSessionTimeout=500\nmaxSessionTimeout=60000\n");
    text.append("dataDir=").append(data).append('\n');
    text.append("clientPort=").append(ports.get(i)).append('\n');
    text.append("clientPortAddress=127.0.0.1\n");
    for (int n = 0; n < SIZE; n++) {
      text.append(
          "server.%d=127.0.0.1:%d:%d%n"
              .formatted(n + 1, peerPorts.get(2 * n), peerPorts.get(2 * n + 1)));
    }
    return text.toString();
  }

  /** Waits until one server leads and every running one serves. */
  public void awaitServing() throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      List<String> modes = modes();
      if (modes.contains("leader") && !modes.contains("none")) {
        return;
      }
      if (System.nanoTime() - start > START.toNanos()) {
        throw new HarnessException(
            "the ZooKeeper ensemble does not serve within %d s, its servers are %s"
                .formatted(START.toSeconds(), modes));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  public int size() {
    return SIZE;
  }

  /** The port of a server itself, no proxy in between. */
  public int port(int i) {
    return ports.get(i);
  }

  /** A connection string to all servers, no proxy in between. */
  public String directly() {
    return String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList());
  }

  Path log(int i) {
    return directory.resolve("zk" + i + ".log");
  }

  List<Path> logs() {
    return Stream.iterate(0, i -> i + 1).limit(SIZE).map(this::log).toList();
  }

  /** For each server: leader, follower, or none if it does not serve. */
  public List<String> modes() {
    return ports.stream().map(Ensemble::mode).toList();
  }

  /** The same with one of them not asked, a frozen one for example, and taken for none. */
  public List<String> modesWithout(int silent) {
    List<String> modes = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      modes.add(i == silent ? "none" : mode(ports.get(i)));
    }
    return modes;
  }

  /** The number of the server that leads, -1 if none does. */
  public int leader() {
    return modes().indexOf("leader");
  }

  /** Kills a server and returns its exit status. */
  public synchronized int kill(int i) throws InterruptedException {
    ChildJvm server = servers[i];
    if (server == null) {
      throw new IllegalStateException("server " + i + " does not run");
    }
    int status = server.kill();
    reaper.ended(server.handle().pid());
    servers[i] = null;
    return status;
  }

  /** The process of a running server. */
  public synchronized long pid(int i) {
    ChildJvm server = servers[i];
    if (server == null) {
      throw new IllegalStateException("server " + i + " does not run");
    }
    return server.handle().pid();
  }

  /** Kills all servers and starts them on no data. */
  public synchronized void restartEmpty() throws IOException, InterruptedException {
    for (int i = 0; i < SIZE; i++) {
      if (servers[i] != null) {
        kill(i);
      }
      deleteTree(directory.resolve("zk" + i));
    }
    for (int i = 0; i < SIZE; i++) {
      startServer(i);
    }
    awaitServing();
  }

  static void deleteTree(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public synchronized void close() {
    for (ChildJvm server : servers) {
      if (server != null) {
        server.close();
      }
    }
  }

  private static String mode(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(LOOPBACK, port), 500);
      socket.setSoTimeout(500);
      socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      String answer = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      int at = answer.indexOf("Mode: ");
      return at < 0 ? "none" : answer.substring(at + 6).lines().findFirst().orElse("none").strip();
    } catch (IOException silent) {
      return "none";
    }
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, LOOPBACK));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
