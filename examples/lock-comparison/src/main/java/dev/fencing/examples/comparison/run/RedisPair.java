package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.server.Node;
import dev.fencing.examples.comparison.server.ServerException;
import dev.fencing.examples.comparison.server.Servers;
import dev.fencing.fixtures.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;

/**
 * A Redis primary and its replica, which follows it asynchronously over a line that can be silent.
 * What the primary has granted while the line was silent dies with it. Not thread-safe.
 */
final class RedisPair implements AutoCloseable {

  private static final String LOCALHOST = "127.0.0.1";
  private static final Duration SYNC = Duration.ofSeconds(30);

  private final Servers servers;
  private final Path primaryFile;
  private Node primary;
  private Node replica;
  private TcpProxy line;

  RedisPair(Servers servers, Path primaryFile) throws IOException, InterruptedException {
    this.servers = servers;
    this.primaryFile = primaryFile;
    this.primary = servers.redis();
    this.line = TcpProxy.to(primary.port());
    this.replica = follow(line);
    tell();
  }

  private Node follow(TcpProxy line) throws InterruptedException {
    Node follower = servers.redis();
    try (Jedis admin = new Jedis(LOCALHOST, follower.port())) {
      admin.replicaof(LOCALHOST, line.port());
      long start = System.nanoTime();
      while (!admin.info("replication").contains("master_link_status:up")) {
        if (System.nanoTime() - start > SYNC.toNanos()) {
          throw new ServerException(
              "the Redis on port %d has not become a replica of the one on port %d within %d s"
                  .formatted(follower.port(), primary.port(), SYNC.toSeconds()));
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
    return follower;
  }

  /** Clients look up there who the primary is, as they would ask a sentinel. */
  private void tell() throws IOException {
    Path next = primaryFile.resolveSibling(primaryFile.getFileName() + ".next");
    Files.writeString(next, LOCALHOST + ":" + primary.port());
    Files.move(next, primaryFile, StandardCopyOption.ATOMIC_MOVE);
  }

  /** From now on the replica hears nothing of what the primary grants. */
  void silence() {
    line.silenceReplies();
  }

  /** The replica hears all that it has missed. */
  void restore() {
    line.restore();
  }

  /** Kills the primary, makes its replica the primary, and starts a replica of that. */
  void failOver() throws IOException, InterruptedException {
    servers.end(primary);
    line.cut();
    line.close();
    primary = replica;
    try (Jedis admin = new Jedis(LOCALHOST, primary.port())) {
      admin.replicaofNoOne();
    }
    tell();
    line = TcpProxy.to(primary.port());
    replica = follow(line);
  }

  @Override
  public void close() throws IOException {
    line.close();
    servers.end(replica);
    servers.end(primary);
  }
}
