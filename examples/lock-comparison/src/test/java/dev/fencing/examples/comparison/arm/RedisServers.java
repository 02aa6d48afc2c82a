package dev.fencing.examples.comparison.arm;

import dev.fencing.examples.comparison.server.Node;
import dev.fencing.examples.comparison.server.Servers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/** Real Redis servers, and what an administrator can see and do there. */
final class RedisServers implements AutoCloseable {

  private final Servers servers;
  private final List<Node> nodes = new ArrayList<>();

  RedisServers(int count) throws IOException {
    servers = Servers.open();
    for (int i = 0; i < count; i++) {
      nodes.add(servers.redis());
    }
  }

  List<String> addresses() {
    return nodes.stream().map(node -> "127.0.0.1:" + node.port()).toList();
  }

  Node node(int i) {
    return nodes.get(i);
  }

  /** Ends a server, and starts another in its place. */
  void replace(int i) {
    end(i);
    nodes.set(i, servers.redis());
  }

  void end(int i) {
    servers.end(nodes.get(i));
  }

  /** Who holds a key on each server: its value, or null. */
  List<@Nullable String> holders(String key) {
    List<@Nullable String> holders = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      try (Jedis admin = admin(i)) {
        holders.add(admin.get(key));
      }
    }
    return holders;
  }

  long ttlMillis(int i, String key) {
    try (Jedis admin = admin(i)) {
      return admin.pttl(key);
    }
  }

  void set(int i, String key, String value) {
    try (Jedis admin = admin(i)) {
      admin.set(key, value);
    }
  }

  void shorten(int i, String key, Duration left) {
    try (Jedis admin = admin(i)) {
      admin.pexpire(key, left.toMillis());
    }
  }

  /** Lets a key expire at once, as a jump of the server's clock would. */
  void expire(int i, String key) {
    try (Jedis admin = admin(i)) {
      admin.pexpire(key, 1);
      while (admin.exists(key)) {
        Thread.onSpinWait();
      }
    }
  }

  void clear() {
    for (int i = 0; i < nodes.size(); i++) {
      try (Jedis admin = admin(i)) {
        admin.flushAll();
      }
    }
  }

  private Jedis admin(int i) {
    return new Jedis("127.0.0.1", nodes.get(i).port());
  }

  @Override
  public void close() {
    servers.close();
  }
}
