package dev.fencing.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A pool of connections to a durable database, and a table with an account for each of them. */
final class Accounts implements AutoCloseable {

  static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";

  private static final int ACCOUNTS = 64;

  private final HikariDataSource pool;
  private final JdbcFence fence;

  /** On PostgreSQL. */
  Accounts(int connections) throws SQLException {
    this(PostgresServer.shared().dataSource(), connections);
  }

  Accounts(DataSource dataSource, int connections) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(Math.max(2, connections)); // The self-test needs two.
    this.pool = new HikariDataSource(config);
    this.fence = JdbcFence.of(pool);
    fence.createSchema();
    execute("DROP TABLE IF EXISTS account");
    execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL,"
            + " fencing_token bigint NOT NULL DEFAULT 0)");
    for (int account = 0; account < ACCOUNTS; account++) {
      execute("INSERT INTO account VALUES (" + account + ", 0, 0)");
    }
  }

  HikariDataSource pool() {
    return pool;
  }

  JdbcFence fence() {
    return fence;
  }

  /** A token above all that were raised in this run. */
  static long nextToken() {
    return System.nanoTime();
  }

  static int add(Connection connection, int account) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ADD)) {
      statement.setLong(1, 1);
      statement.setInt(2, account);
      return statement.executeUpdate();
    }
  }

  /** A transaction as one would write it without a fence, with something in place of the check. */
  void transaction(int account, int statements, String check) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      if (!check.isEmpty()) {
        try (PreparedStatement first = connection.prepareStatement(check)) {
          first.execute();
        }
      }
      for (int i = 0; i < statements; i++) {
        add(connection, account);
      }
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  long number(String query) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(query)) {
      results.next();
      return results.getLong(1);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
