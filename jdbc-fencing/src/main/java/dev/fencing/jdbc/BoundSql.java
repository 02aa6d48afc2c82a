package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SQL in the making, and the values that are bound to it. */
final class BoundSql {

  private final StringBuilder sql = new StringBuilder();
  private final List<@Nullable Object> values = new ArrayList<>();

  BoundSql add(String text, @Nullable Object... bound) {
    sql.append(text);
    Collections.addAll(values, bound);
    return this;
  }

  BoundSql add(BoundSql other) {
    sql.append(other.sql);
    values.addAll(other.values);
    return this;
  }

  BoundSql bind(Collection<? extends @Nullable Object> bound) {
    values.addAll(bound);
    return this;
  }

  String sql() {
    return sql.toString();
  }

  /** Sends nothing. */
  PreparedStatement prepare(Connection connection) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql());
    try {
      bindTo(statement);
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  void bindTo(PreparedStatement statement) throws SQLException {
    int i = 0;
    for (Object value : values) {
      i++;
      if (value instanceof Long number) {
        statement.setLong(i, number);
      } else {
        statement.setObject(i, value);
      }
    }
  }
}
