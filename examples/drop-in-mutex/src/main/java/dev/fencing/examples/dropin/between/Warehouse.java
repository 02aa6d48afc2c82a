package dev.fencing.examples.dropin.between;

import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.examples.dropin.Order;
import dev.fencing.examples.dropin.Packer;
import dev.fencing.examples.dropin.Shelf;
import dev.fencing.examples.dropin.Shop;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;

/** Takes orders off the shelf, one at a time over all instances. */
public final class Warehouse implements Shop {

  private final InterProcessFencedMutex mutex;
  private final DataSource database;
  private final Shelf shelf = new Shelf();

  /** Makes the warehouse of one instance. */
  public Warehouse(CuratorFramework zookeeper, DataSource database) {
    this.mutex = new InterProcessFencedMutex(zookeeper, "/locks/shelf");
    this.database = database;
  }

  @Override
  public void ship(Order order, Packer packer) throws Exception {
    mutex.acquire();
    try {
      int onShelf = inTransaction(connection -> shelf.count(connection, order.article()));
      packer.pack(order, onShelf);
      inTransaction(connection -> shelf.write(connection, order, onShelf - order.pieces()));
    } finally {
      mutex.release();
    }
  }

  private int inTransaction(Work work) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      int result = work.run(connection);
      connection.commit();
      return result;
    }
  }

  private interface Work {
    int run(Connection connection) throws SQLException;
  }
}
