package dev.fencing.examples.dropin.after;

import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.examples.dropin.Order;
import dev.fencing.examples.dropin.Packer;
import dev.fencing.examples.dropin.Shelf;
import dev.fencing.examples.dropin.Shop;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;

/** Takes orders off the shelf, one at a time over all instances. */
public final class Warehouse implements Shop {

  private final InterProcessFencedMutex mutex;
  private final JdbcFence fence;
  private final Shelf shelf = new Shelf();

  /** Makes the warehouse of one instance. */
  public Warehouse(CuratorFramework zookeeper, DataSource database) {
    this.mutex = new InterProcessFencedMutex(zookeeper, "/locks/shelf");
    this.fence = JdbcFence.of(database);
  }

  @Override
  public void ship(Order order, Packer packer) throws Exception {
    long token = mutex.acquireAndGetToken();
    try {
      FencedResource hold = fence.raise("shelf", token, mutex.lockPath());
      int onShelf = hold.inTransaction(connection -> shelf.count(connection, order.article()));
      packer.pack(order, onShelf);
      hold.inTransaction(connection -> shelf.write(connection, order, onShelf - order.pieces()));
    } finally {
      mutex.release();
    }
  }
}
