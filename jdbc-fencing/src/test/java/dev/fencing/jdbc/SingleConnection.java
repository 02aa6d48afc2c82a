package dev.fencing.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;

/** A pool of one connection, which is not tested and not renewed. */
final class SingleConnection extends HikariDataSource {

  SingleConnection(DataSource dataSource) {
    this(dataSource, Duration.ofSeconds(30));
  }

  /**
   * @param patience for how long it is asked for a second one before it says no
   */
  SingleConnection(DataSource dataSource, Duration patience) {
    super(config(dataSource, patience));
  }

  private static HikariConfig config(DataSource dataSource, Duration patience) {
    HikariConfig config = new HikariConfig();
    config.setConnectionTimeout(patience.toMillis());
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(1);
    return config;
  }
}
