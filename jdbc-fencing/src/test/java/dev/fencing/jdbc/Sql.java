package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** SQL that a test runs beside the library, each statement in a transaction of its own. */
final class Sql {

  private final DataSource dataSource;
  private @Nullable ServerSide server;

  Sql(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Asks the server what it is when somebody wants to know. */
  ServerSide server() {
    ServerSide known = server;
    if (known == null) {
      known = ServerSide.of(dataSource);
      server = known;
    }
    return known;
  }

  long openTransactions() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return server().openTransactions(connection);
    }
  }

  void awaitLockWaits(int sessions) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              try (Connection connection = dataSource.getConnection()) {
                return server().lockWaits(connection) == sessions;
              }
            });
  }

  /** A server learns a moment later that a connection was closed. */
  void awaitNoOpenTransactions() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> openTransactions() == 0);
  }

  void run(String... statements) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      for (String statement : statements) {
        execute(connection, statement);
      }
    }
  }

  long number(String query) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return number(connection, query);
    }
  }

  String text(String query) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return text(connection, query);
    }
  }

  static int execute(Connection connection, String statement) throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(statement)) {
      prepared.execute();
      return prepared.getUpdateCount();
    }
  }

  static long number(Connection connection, String query) throws SQLException {
    return Long.parseLong(text(connection, query));
  }

  static String text(Connection connection, String query) throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(query);
        ResultSet results = prepared.executeQuery()) {
      if (!results.next()) {
        throw new AssertionError("no row: " + query);
      }
      return results.getString(1);
    }
  }
}
