package dev.fencing.examples.comparison.run;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Setup;
import dev.fencing.examples.comparison.arm.Workload;
import dev.fencing.examples.comparison.server.Servers;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** What the arms that run on it one after the other share: the database and the ZooKeeper. */
final class Stage implements AutoCloseable {

  /** The databases there are. */
  enum Database {
    POSTGRESQL,
    MARIADB;

    /** Starts one, and returns its JDBC URL. */
    String start(Servers servers) {
      return this == POSTGRESQL ? servers.postgres() : servers.mariadb();
    }
  }

  /** Makes another database on the same server, and returns its JDBC URL. */
  static String anotherDatabase(String url, String name) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    }
    return url.substring(0, url.lastIndexOf('/') + 1) + name + url.substring(url.indexOf('?'));
  }

  private static final int CONNECTIONS = 2;
  private static final int TICKS_A_SESSION = 6;
  private static final int LEASES_A_WAIT = 20;
  private static final Duration LEAST_WAIT = Duration.ofSeconds(20);

  private final Servers servers;
  private final Duration lease;
  private final Duration think;
  private final Workload workload;
  private final String jdbcUrl;
  private final HikariDataSource dataSource;
  private String zookeeper = "";

  /**
   * Starts nothing yet.
   *
   * @param jdbcUrl of the database
   * @param lease to be asked for
   * @param think how long clients think between their read and their write
   */
  Stage(Servers servers, Workload workload, String jdbcUrl, Duration lease, Duration think) {
    this.servers = servers;
    this.workload = workload;
    this.jdbcUrl = jdbcUrl;
    this.lease = lease;
    this.think = think;
    this.dataSource = setup().pool(CONNECTIONS);
  }

  Servers servers() {
    return servers;
  }

  Workload workload() {
    return workload;
  }

  Duration lease() {
    return lease;
  }

  Tables tables() {
    return new Tables(dataSource, workload);
  }

  /** Starts the servers of an arm. */
  Equipment equip(Arm arm) throws IOException, InterruptedException {
    if (arm.need() == Arm.Need.ZOOKEEPER && zookeeper.isEmpty()) {
      zookeeper = "127.0.0.1:" + servers.zookeeper(tick());
    }
    return Equipment.of(arm, servers);
  }

  private Duration tick() {
    return lease.dividedBy(TICKS_A_SESSION);
  }

  /** What clients of an arm need to know. */
  Setup setup(Arm arm, Equipment equipment) {
    return equipment.addTo(setup(), arm);
  }

  private Setup setup() {
    Duration wait = lease.multipliedBy(LEASES_A_WAIT);
    return new Setup(
        workload,
        jdbcUrl,
        zookeeper,
        List.of(),
        "",
        "",
        lease.toMillis(),
        Math.max(wait.toMillis(), LEAST_WAIT.toMillis()),
        think.toMillis());
  }

  @Override
  public void close() {
    dataSource.close();
  }
}
