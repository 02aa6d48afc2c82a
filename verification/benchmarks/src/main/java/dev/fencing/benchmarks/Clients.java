package dev.fencing.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;

/** Connected clients, each with a session of its own. */
final class Clients implements AutoCloseable {

  private static final Duration SESSION = Duration.ofSeconds(30);
  private static final Duration CONNECTION = Duration.ofSeconds(10);

  private final List<CuratorFramework> all = new ArrayList<>();

  private Clients() {}

  static Clients connect(String address, int count) throws InterruptedException {
    Clients clients = new Clients();
    for (int i = 0; i < count; i++) {
      clients.all.add(connect(address));
    }
    return clients;
  }

  static CuratorFramework connect(String address) throws InterruptedException {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            address,
            (int) SESSION.toMillis(),
            (int) CONNECTION.toMillis(),
            new RetryNTimes(3, 100));
    client.start();
    if (!client.blockUntilConnected((int) CONNECTION.toSeconds(), TimeUnit.SECONDS)) {
      client.close();
      throw new IllegalStateException(
          "no connection to ZooKeeper at %s within %s".formatted(address, CONNECTION));
    }
    return client;
  }

  /** Creates a lock path that stays, so that nobody has to create it while being measured. */
  static String lockPath(CuratorFramework client, String path) throws Exception {
    client
        .create()
        .orSetData()
        .creatingParentsIfNeeded()
        .withMode(CreateMode.PERSISTENT)
        .forPath(path);
    return path;
  }

  List<CuratorFramework> all() {
    return all;
  }

  /** Closes all at the same time: each waits a tenth of a second for its own threads. */
  @Override
  public void close() {
    List<Thread> closing = all.stream().map(client -> new Thread(client::close)).toList();
    closing.forEach(Thread::start);
    try {
      for (Thread thread : closing) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
