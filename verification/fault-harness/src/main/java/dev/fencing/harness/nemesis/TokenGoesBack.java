package dev.fencing.harness.nemesis;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.stage.Stage;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * The ensemble is started again on no data, so that its tokens begin near zero; then they are run
 * up until they meet those that were raised before, digit for digit. Every raise has to be refused.
 */
final class TokenGoesBack {

  private static final int PROBES = 40;
  private static final int MOST_NODES = 20_000;
  private static final Duration BOUND = Duration.ofSeconds(30);

  private final Stage stage;
  private final JdbcFence fence;

  TokenGoesBack(Stage stage) {
    this.stage = stage;
    this.fence = JdbcFence.of(stage.database().dataSource());
  }

  Fault strike(Scene scene, Planned planned, long from) throws IOException, InterruptedException {
    Map<Long, String> raised = new TreeMap<>();
    try {
      withClient(client -> raiseProbes(client, raised, "probe-" + from + "-"));
      long gone = scene.now();
      stage.ensemble().restartEmpty();
      long back = scene.now();
      long[] met = new long[3];
      withClient(client -> runUp(client, raised, met));
      long equal = met[1];
      return new Fault(
              planned.kind(),
              gone,
              back,
              null,
              null,
              met[0] > 0 && equal > 0,
              "czxid fell from 0x%x to 0x%x; %d raises of tokens that were raised before, digit for digit, of which %d were not refused"
                  .formatted(raised.keySet().iterator().next(), met[0], equal, met[2]),
              planned.place())
          .withHarm(
              met[2] == 0
                  ? null
                  : "%d raises of a token that had been raised before were not refused"
                      .formatted(met[2]));
    } catch (KeeperException e) {
      return scene.done(planned, from, null, false, e.toString());
    }
  }

  private void raiseProbes(ZooKeeper client, Map<Long, String> raised, String prefix)
      throws KeeperException, InterruptedException {
    for (int i = 0; i < PROBES; i++) {
      long token = create(client);
      fence.raise(prefix + i, token);
      raised.put(token, prefix + i);
    }
  }

  /** Fills in the first token, how many equal ones were raised, and how many were not refused. */
  private void runUp(ZooKeeper client, Map<Long, String> raised, long[] met)
      throws KeeperException, InterruptedException {
    long last = Long.MIN_VALUE;
    for (long token : raised.keySet()) {
      last = Math.max(last, token);
    }
    long token = 0;
    for (int i = 0; i < MOST_NODES && token <= last; i++) {
      token = create(client);
      met[0] = i == 0 ? token : met[0];
      String resource = raised.get(token);
      if (resource != null) {
        met[1]++;
        met[2] += isRefused(resource, token) ? 0 : 1;
      }
    }
  }

  private boolean isRefused(String resource, long token) {
    try {
      fence.raise(resource, token);
      return false;
    } catch (StaleTokenException refused) {
      return true;
    }
  }

  private static long create(ZooKeeper client) throws KeeperException, InterruptedException {
    Stat stat = new Stat();
    client.create(
        "/probe-",
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL,
        stat);
    return stat.getCzxid();
  }

  private interface Use {
    void by(ZooKeeper client) throws KeeperException, InterruptedException;
  }

  @SuppressWarnings("try") // An interrupt while it closes is one of the whole.
  private void withClient(Use use) throws IOException, InterruptedException, KeeperException {
    CountDownLatch connected = new CountDownLatch(1);
    try (ZooKeeper client =
        new ZooKeeper(
            stage.ensemble().directly(),
            20_000,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            })) {
      if (!connected.await(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("no connection to the ensemble within " + BOUND);
      }
      use.by(client);
    }
  }
}
