package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Runs statements for the number of rows that they change. */
final class Counts {

  private Counts() {}

  static int update(Connection connection, String sql, @Nullable Object[] parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, 1, parameters);
      return of(statement, statement.execute());
    }
  }

  static void bind(PreparedStatement statement, int first, @Nullable Object[] parameters)
      throws SQLException {
    int i = first;
    for (Object parameter : parameters) {
      statement.setObject(i++, parameter);
    }
  }

  /** The rows that the current result has changed, or returned, as RETURNING does. */
  static int of(PreparedStatement statement, boolean returned) throws SQLException {
    if (!returned) {
      return statement.getUpdateCount();
    }
    int rows = 0;
    try (ResultSet results = statement.getResultSet()) {
      while (results.next()) {
        rows++;
      }
    }
    return rows;
  }
}
