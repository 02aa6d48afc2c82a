package dev.fencing.harness.run;

import dev.fencing.harness.stage.Database;
import dev.fencing.harness.stage.Ensemble;
import dev.fencing.harness.worker.Order;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * What is left when all is healed and the workers hold nothing any more.
 *
 * @param children nodes under the lock paths
 * @param ephemerals ephemeral nodes anywhere
 * @param transactions open ones in the database
 */
record Leftovers(long children, long ephemerals, long transactions) {

  /** What is deleted or rolled back in the background gets that long. */
  private static final Duration BOUND = Duration.ofSeconds(15);

  private static final String OPEN =
      "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
          + " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL";

  /** Looks until there are none, or the bound is over. */
  @SuppressWarnings("try") // An interrupt while it closes is one of the whole.
  static Leftovers of(Ensemble ensemble, Database database, String root)
      throws IOException, InterruptedException, SQLException {
    long start = System.nanoTime();
    try (ZooKeeper client = new ZooKeeper(ensemble.directly(), 10_000, event -> {})) {
      while (true) {
        Leftovers found = look(client, database, root);
        if (found.isNothing() || System.nanoTime() - start > BOUND.toNanos()) {
          return found;
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
    } catch (KeeperException e) {
      throw new IOException("the ensemble does not tell what is left in it", e);
    }
  }

  boolean isNothing() {
    return children + ephemerals + transactions == 0;
  }

  private static Leftovers look(ZooKeeper client, Database database, String root)
      throws KeeperException, InterruptedException, SQLException {
    long children = 0;
    for (int lock = 0; lock < Order.LOCKS; lock++) {
      children += children(client, root + "/" + Order.lock(lock)).size();
    }
    return new Leftovers(
        children, ephemerals(client, "/"), Long.parseLong(database.query(OPEN).get(0).get(0)));
  }

  private static long ephemerals(ZooKeeper client, String path)
      throws KeeperException, InterruptedException {
    long count = 0;
    for (String child : children(client, path)) {
      String below = path.equals("/") ? "/" + child : path + "/" + child;
      Stat stat = client.exists(below, false);
      if (stat != null) {
        count += stat.getEphemeralOwner() != 0 ? 1 : ephemerals(client, below);
      }
    }
    return count;
  }

  private static List<String> children(ZooKeeper client, String path)
      throws KeeperException, InterruptedException {
    try {
      return client.getChildren(path, false);
    } catch (KeeperException.NoNodeException gone) {
      return List.of();
    }
  }
}
