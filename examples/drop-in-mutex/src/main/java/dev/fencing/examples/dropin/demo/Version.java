package dev.fencing.examples.dropin.demo;

import dev.fencing.examples.dropin.Shop;
import java.util.Locale;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;

/** The versions of the warehouse that are deployed one after another. */
enum Version {
  BEFORE,
  BETWEEN,
  AFTER;

  Shop open(CuratorFramework zookeeper, DataSource database) {
    return switch (this) {
      case BEFORE -> new dev.fencing.examples.dropin.before.Warehouse(zookeeper, database);
      case BETWEEN -> new dev.fencing.examples.dropin.between.Warehouse(zookeeper, database);
      case AFTER -> new dev.fencing.examples.dropin.after.Warehouse(zookeeper, database);
    };
  }

  /** As it stands in the shipments: the name of its package. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
