package dev.fencing.examples.comparison.arm;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where the servers of an arm are, and how long its clients hold, wait and think. Addresses are
 * host:port, and empty where the arm has no such server.
 *
 * @param jdbcUrl of the database
 * @param zookeeper its address
 * @param redis addresses; five for Redlock
 * @param primaryFile holds the address of the Redis that is the primary at the moment
 * @param etcd its address
 * @param leaseMillis the lease to ask for
 * @param waitMillis the longest wait for a lock
 * @param thinkMillis how long a client thinks between its read and its write
 */
public record Setup(
    Workload workload,
    String jdbcUrl,
    String zookeeper,
    List<String> redis,
    String primaryFile,
    String etcd,
    long leaseMillis,
    long waitMillis,
    long thinkMillis) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The same for clients that do not think. */
  public Setup withoutThinking() {
    return new Setup(
        workload, jdbcUrl, zookeeper, redis, primaryFile, etcd, leaseMillis, waitMillis, 0);
  }

  /** A pool of connections that wait for locks as long as clients do. */
  public HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionInitSql(LockWait.of(jdbcUrl).statement(Duration.ofMillis(waitMillis)));
    return new HikariDataSource(config);
  }

  /** Reads what {@link #write} has written. */
  public static Setup read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Setup.class);
  }

  /** Writes it to a file, for the workers. */
  public void write(Path file) throws IOException {
    JSON.writeValue(file.toFile(), this);
  }
}
