package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The kinds of database whose locks are known well enough to hold a fence. */
enum Database {
  POSTGRESQL,
  MYSQL,
  MARIADB,
  H2;

  /**
   * Tells by what the server says of itself: a MySQL driver talks to a MariaDB, too. One round trip
   * unless it is H2.
   *
   * @throws FenceSchemaException if it is none of them, or its driver would undo a check
   */
  static Database of(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    if (product.equals("H2")) {
      return H2;
    }
    String version = version(connection, product);
    if (version.contains("MariaDB")) {
      refuseReplay(connection);
      return MARIADB;
    } else if (product.equals("MySQL")) {
      return MYSQL;
    } else if (version.startsWith("PostgreSQL")) {
      return POSTGRESQL;
    }
    throw unsupported(product, version, null);
  }

  private static String version(Connection connection, String product) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery("SELECT version()")) {
      results.next();
      return results.getString(1);
    } catch (SQLException e) {
      String state = Objects.requireNonNullElse(e.getSQLState(), "");
      if (state.startsWith("42") && !state.equals(PostgresStatements.NAME_TAKEN)) {
        throw unsupported(product, "an unknown version", e); // It knows no such function.
      }
      throw e;
    }
  }

  /** What the driver repeats on a new connection it does not compare: a check has passed there. */
  private static void refuseReplay(Connection connection) throws SQLException {
    // However it was said, the driver writes it so.
    if (String.valueOf(connection.getMetaData().getURL()).contains("transactionReplay=true")) {
      throw new FenceSchemaException(
          "this connection cannot hold a fence: with transactionReplay=true the driver of MariaDB repeats a transaction whose connection broke, on another connection and without a look at the results. A check that is refused there would count as passed, and a stale holder could write. Take it out of the URL",
          null);
    }
  }

  private static FenceSchemaException unsupported(
      String product, String version, @Nullable Throwable cause) {
    return new FenceSchemaException(
        "this database cannot hold a fence: it is %s (%s), and PostgreSQL, MySQL, MariaDB and H2 are supported"
            .formatted(product, version),
        cause);
  }
}
