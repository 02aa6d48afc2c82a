package dev.fencing.examples.job.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;

/** Connection pools with every wait bounded. */
public final class Pools {

  private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(30);

  private Pools() {}

  /** Opens a pool of {@code size} connections, which bear its name in the database. */
  public static HikariDataSource open(Servers.Database database, String name, int size) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setJdbcUrl(database.url());
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(CONNECT_BOUND.toMillis());
    config.addDataSourceProperty("connectTimeout", Long.toString(CONNECT_BOUND.toSeconds()));
    // Without it a server that stops answering would hold a connection for ever.
    config.addDataSourceProperty("socketTimeout", Long.toString(ANSWER_BOUND.toSeconds()));
    config.addDataSourceProperty("ApplicationName", name);
    return new HikariDataSource(config);
  }
}
