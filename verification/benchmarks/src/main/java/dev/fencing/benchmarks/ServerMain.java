package dev.fencing.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.zookeeper.server.ServerCnxnFactory;

/**
 * The ZooKeeper server in a JVM of its own, so that it does not share heap and garbage collector
 * with what is measured. Says its port, then answers lines; ends with its standard input.
 */
final class ServerMain {

  private static final int UNLIMITED = 0;

  private ServerMain() {}

  public static void main(String[] args) throws Exception {
    System.setProperty("zookeeper.forceSync", "no"); // Not the disk is to be measured.
    Path directory = Files.createTempDirectory("fencing-benchmarks-");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
    CountingServer server = new CountingServer(directory.toFile());
    ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
    connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), UNLIMITED);
    connections.startup(server);
    System.out.println(connections.getLocalPort());

    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
      if (line.equals("sweep")) {
        server.sweep();
      }
      System.out.println(server.counts().toLine());
    }
    System.exit(0); // The server's threads would go on.
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("not deleted: " + directory, e);
    }
  }
}
