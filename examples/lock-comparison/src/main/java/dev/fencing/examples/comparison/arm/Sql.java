package dev.fencing.examples.comparison.arm;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Single statements. */
final class Sql {

  private Sql() {}

  /** The statement that reads a row. */
  static String select(Workload workload) {
    return "SELECT %s FROM %s WHERE id = ?".formatted(workload.column(), workload.table());
  }

  /** The statement that writes a row, up to its condition. */
  static String update(Workload workload) {
    return "UPDATE %s SET %s = ? WHERE id = ?".formatted(workload.table(), workload.column());
  }

  static long query(DataSource dataSource, String sql, Object... parameters) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return query(connection, sql, parameters);
    }
  }

  static long query(Connection connection, String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(connection, sql, parameters);
        ResultSet result = statement.executeQuery()) {
      if (!result.next()) {
        throw new SQLException("no row for " + sql);
      }
      return result.getLong(1);
    }
  }

  static int update(DataSource dataSource, String sql, Object... parameters) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return update(connection, sql, parameters);
    }
  }

  static int update(Connection connection, String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(connection, sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  private static PreparedStatement prepared(Connection connection, String sql, Object... parameters)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    try {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      return statement;
    } catch (SQLException e) {
      try {
        statement.close();
      } catch (SQLException late) {
        e.addSuppressed(late);
      }
      throw e;
    }
  }
}
