package dev.fencing.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The guard table on PostgreSQL: its DDL, and what is wrong with the one that is there. */
final class PostgresSchema {

  private static final Map<String, String> COLUMNS = new LinkedHashMap<>();

  static {
    COLUMNS.put("resource", "character varying");
    COLUMNS.put("generation", "bigint");
    COLUMNS.put("token", "bigint");
    COLUMNS.put("raise_id", "bigint");
    COLUMNS.put("origin", "character varying");
    COLUMNS.put("holder", "character varying");
    COLUMNS.put("raised_at", "timestamp with time zone");
  }

  private final String table;

  PostgresSchema(String table) {
    this.table = table;
  }

  String ddl() {
    try (InputStream in = PostgresSchema.class.getResourceAsStream("postgresql.sql")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .replace("NOT EXISTS fence (", "NOT EXISTS " + table + " (");
    } catch (IOException e) {
      throw new UncheckedIOException("the DDL is missing from the jar", e);
    }
  }

  List<String> problems(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    if (!product.equals("PostgreSQL")) {
      return List.of("it is " + product + ", and PostgreSQL is what is supported");
    }
    Map<String, String> found = new LinkedHashMap<>();
    boolean unique = false;
    try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
      statement.setString(1, table);
      try (ResultSet results = statement.executeQuery()) {
        while (results.next()) {
          found.put(results.getString(1), results.getString(2));
          unique |= results.getBoolean(3);
        }
      }
    }
    if (found.isEmpty()) {
      return List.of("the guard table \"" + table + "\" does not exist");
    }
    List<String> problems = new ArrayList<>();
    COLUMNS.forEach(
        (column, type) -> {
          String actual = found.get(column);
          if (actual == null) {
            problems.add("column " + column + " is missing");
          } else if (!actual.equals(type)) {
            problems.add("column %s is %s and must be %s".formatted(column, actual, type));
          }
        });
    if (!unique) {
      problems.add("column resource has no primary key or unique constraint of its own");
    }
    return problems;
  }

  private static final String DESCRIBE =
      """
      SELECT a.attname, format_type(a.atttypid, NULL),
        EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique
                AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
                AND a.attname = 'resource')
      FROM pg_attribute a
      WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped""";
}
