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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The tables of the fence on one database: their DDL, and what is wrong with those there. */
final class FenceSchema {

  /**
   * What columns that are compared must hold, in characters. Without its strict mode MySQL cuts a
   * longer value off, and two resources would share a fence.
   */
  private static final Map<String, Integer> LENGTHS =
      Map.of(
          "resource",
          JdbcFence.MAX_RESOURCE_LENGTH,
          "operation_id",
          255,
          "origin",
          JdbcFence.MAX_ORIGIN_LENGTH);

  private final String table;
  private final String file;
  private final String describe;
  private final Map<String, String> fence = new LinkedHashMap<>();
  private final Map<String, String> operation = new LinkedHashMap<>();

  /**
   * @param file the DDL
   * @param describe a query for name, type, whether the key is unique, and greatest length or null,
   *     of each column; its parameters are the columns of the key in the order of their names, and
   *     the table
   * @param name the type of a column that is compared, which must tell any two strings apart
   * @param text the type of any other string
   * @param number the type of a signed 64-bit integer
   * @param time the type of a point in time
   */
  FenceSchema(
      String table,
      String file,
      String describe,
      String name,
      String text,
      String number,
      String time) {
    this.table = table;
    this.file = file;
    this.describe = describe;
    fence.put("resource", name);
    fence.put("generation", number);
    fence.put("token", number);
    fence.put("raise_id", number);
    fence.put("origin", name);
    fence.put("holder", text);
    fence.put("raised_at", time);
    operation.put("resource", name);
    operation.put("operation_id", name);
    operation.put("generation", number);
    operation.put("token", number);
    operation.put("applied_at", time);
  }

  String ddl() {
    return resource(file)
        .replace("TABLE fence", "TABLE " + table)
        .replace("NOT EXISTS fence", "NOT EXISTS " + table);
  }

  /** The text of a file that is shipped beside this class. */
  static String resource(String name) {
    try (InputStream in = FenceSchema.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the DDL is missing from the jar", e);
    }
  }

  List<String> problems(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>();
    describe(connection, table, fence, "resource", problems);
    describe(connection, CommonSql.operations(table), operation, "operation_id,resource", problems);
    return problems;
  }

  private void describe(
      Connection connection,
      String table,
      Map<String, String> columns,
      String key,
      List<String> problems)
      throws SQLException {
    Map<String, String> found = new LinkedHashMap<>();
    boolean unique = false;
    try (PreparedStatement statement = connection.prepareStatement(describe)) {
      statement.setString(1, key);
      statement.setString(2, table);
      try (ResultSet results = statement.executeQuery()) {
        while (results.next()) {
          String column = results.getString(1).toLowerCase(Locale.ROOT);
          found.put(column, results.getString(2));
          unique = results.getBoolean(3);
          long length = results.getLong(4);
          int needed = LENGTHS.getOrDefault(column, 0);
          if (!results.wasNull() && length < needed) {
            problems.add(
                "column %s of %s holds %d characters and must hold %d"
                    .formatted(column, table, length, needed));
          }
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
}
