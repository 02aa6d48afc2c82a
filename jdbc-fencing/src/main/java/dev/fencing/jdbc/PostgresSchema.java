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

  private static final String TEXT = "character varying";
  private static final String NUMBER = "bigint";
  private static final String TIME = "timestamp with time zone";

  private static final Map<String, String> FENCE = new LinkedHashMap<>();
  private static final Map<String, String> OPERATION = new LinkedHashMap<>();

  static {
    FENCE.put("resource", TEXT);
    FENCE.put("generation", NUMBER);
    FENCE.put("token", NUMBER);
    FENCE.put("raise_id", NUMBER);
    FENCE.put("origin", TEXT);
    FENCE.put("holder", TEXT);
    FENCE.put("raised_at", TIME);
    OPERATION.put("resource", TEXT);
    OPERATION.put("operation_id", TEXT);
    OPERATION.put("generation", NUMBER);
    OPERATION.put("token", NUMBER);
    OPERATION.put("applied_at", TIME);
  }

  private final String table;

  PostgresSchema(String table) {
    this.table = table;
  }

  String ddl() {
    return resource("postgresql.sql")
        .replace("TABLE fence", "TABLE " + table)
        .replace("NOT EXISTS fence", "NOT EXISTS " + table);
  }

  /** The text of a file that is shipped beside this class. */
  static String resource(String name) {
    try (InputStream in = PostgresSchema.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the DDL is missing from the jar", e);
    }
  }

  List<String> problems(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>();
    describe(connection, table, FENCE, "resource", problems);
    describe(connection, CommonSql.operations(table), OPERATION, "operation_id,resource", problems);
    return problems;
  }

  private static void describe(
      Connection connection,
      String table,
      Map<String, String> columns,
      String key,
      List<String> problems)
      throws SQLException {
    Map<String, String> found = new LinkedHashMap<>();
    boolean unique = false;
    try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
      statement.setString(1, key);
      statement.setString(2, table);
      try (ResultSet results = statement.executeQuery()) {
        while (results.next()) {
          found.put(results.getString(1), results.getString(2));
          unique = results.getBoolean(3);
        }
      }
    }
    if (found.isEmpty()) {
      problems.add("the table \"" + table + "\" does not exist");
      return;
    }
    columns.forEach(
        (column, type) -> {
          String actual = found.get(column);
          if (actual == null) {
            problems.add("column %s of %s is missing".formatted(column, table));
          } else if (!actual.equals(type)) {
            problems.add(
                "column %s of %s is %s and must be %s".formatted(column, table, actual, type));
          }
        });
    if (!unique) {
      problems.add(
          "%s has no primary key or unique constraint of its own on (%s)".formatted(table, key));
    }
  }

  private static final String DESCRIBE =
      """
      SELECT a.attname, format_type(a.atttypid, NULL),
        EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique
          AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL
          AND (SELECT string_agg(k.attname, ',' ORDER BY k.attname) FROM pg_attribute k
            WHERE k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)) = ?)
      FROM pg_attribute a
      WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped""";
}
