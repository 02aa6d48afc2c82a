package dev.fencing.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** A pool of one connection, which is not tested and not renewed. */
final class SingleConnection extends HikariDataSource {

  SingleConnection(DataSource dataSource) {
    super(config(dataSource));
  }

  private static HikariConfig config(DataSource dataSource) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(1);
    return config;
  }
}
