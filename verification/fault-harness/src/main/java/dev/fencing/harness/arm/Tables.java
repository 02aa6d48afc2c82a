package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Workload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The guarded rows, and the log of accepted writes that triggers fill in the same transaction,
 * whichever statement wrote. Whatever sets {@code op_id} is a write, the same one again as well.
 */
public final class Tables {

  /** How many elements a list gets before the next list is used. */
  public static final int LIST_LENGTH = 32;

  public static final int ACCOUNTS = 8;
  public static final long OPENING_BALANCE = 100;
  private static final int LISTS = 600;

  /** What a writer sets besides its fence. */
  static final String SET = "value = ?, op_id = ?, op_token = ?, op_read_ver = ?, op_old = ?";

  /** Drops what an arm before has left, and makes everything anew. */
  public static final String DDL =
      """
      DROP TABLE IF EXISTS guarded, op_log, hand_fence CASCADE;
      CREATE TABLE guarded (
        key text PRIMARY KEY, resource text NOT NULL, value text NOT NULL,
        ver bigint NOT NULL DEFAULT 0,
        op_id text, op_token bigint, op_read_ver bigint, op_old text,
        fencing_token bigint, claim_id bigint);
      CREATE INDEX ON guarded (resource);
      CREATE TABLE op_log (
        op_id text NOT NULL, resource text NOT NULL, key text NOT NULL, token bigint NOT NULL,
        ver bigint NOT NULL, read_ver bigint NOT NULL, old text, new text NOT NULL);
      CREATE INDEX ON op_log (key, ver);
      CREATE TABLE hand_fence (resource text PRIMARY KEY, token bigint NOT NULL);
      CREATE OR REPLACE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          IF NEW.op_id IS NOT NULL THEN
            NEW.ver := coalesce((SELECT max(ver) FROM op_log WHERE key = NEW.key), 0) + 1;
          END IF;
        ELSE
          NEW.ver := OLD.ver + 1;
        END IF;
        RETURN NEW;
      END $$;
      CREATE OR REPLACE FUNCTION log_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.op_id IS NOT NULL THEN
          INSERT INTO op_log VALUES (NEW.op_id, NEW.resource, NEW.key, NEW.op_token, NEW.ver,
            NEW.op_read_ver, NEW.op_old, NEW.value);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER count_version BEFORE INSERT OR UPDATE OF op_id ON guarded
        FOR EACH ROW EXECUTE FUNCTION count_version();
      CREATE TRIGGER log_write AFTER INSERT OR UPDATE OF op_id ON guarded
        FOR EACH ROW EXECUTE FUNCTION log_write();
      """;

  private Tables() {}

  /** Fills in the rows of a lock. */
  public static String rows(Workload workload, String lock) {
    String each =
        switch (workload) {
          case COUNTER -> "SELECT '%1$s', '%1$s', '0'";
          case LIST_APPEND ->
              "SELECT '%1$s/' || to_char(n, 'FM000'), '%1$s', '' FROM generate_series(0, "
                  + (LISTS - 1)
                  + ") n";
          case BANK, BANK_FENCE_PER_ROW ->
              "SELECT '%1$s/a' || n, '%1$s', '"
                  + OPENING_BALANCE
                  + "' FROM generate_series(0, "
                  + (ACCOUNTS - 1)
                  + ") n";
          case LOCK_ONLY -> "SELECT '', '', '' WHERE false";
        };
    return "INSERT INTO guarded (key, resource, value) " + each.formatted(lock) + ";";
  }

  /** The list that is filled at present. */
  public static String openList(Connection connection, String lock) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT min(key) FROM guarded WHERE resource = ? AND ver < " + LIST_LENGTH)) {
      select.setString(1, lock);
      try (ResultSet row = select.executeQuery()) {
        String key = row.next() ? row.getString(1) : null;
        if (key == null) {
          throw new SQLException("all " + LISTS + " lists of " + lock + " are full");
        }
        return key;
      }
    }
  }

  /** Reads rows in one statement, without a lock. */
  static Map<String, Row> read(Connection connection, Workload workload, List<String> keys)
      throws SQLException {
    Map<String, Row> rows = new LinkedHashMap<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT key, ver, value FROM guarded WHERE key = ANY (?) ORDER BY key")) {
      select.setArray(1, connection.createArrayOf("text", keys.toArray()));
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          rows.put(
              result.getString(1),
              new Row(result.getLong(2), value(workload, result.getString(3))));
        }
      }
    }
    return rows;
  }

  /**
   * Writes the rows of a change.
   *
   * @param set what is set besides, such as {@code ", fencing_token = ?"} for the token
   * @param where what a row must hold besides the key, for the token, or nothing
   * @return how many rows were not written
   */
  static int write(Connection connection, Change change, String set, String where)
      throws SQLException {
    int missed = 0;
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE guarded SET " + SET + set + " WHERE key = ?" + where)) {
      for (Map.Entry<String, Change.Cell> entry : change.cells().entrySet()) {
        List<@Nullable Object> values = new ArrayList<>(parameters(change, entry.getValue()));
        addToken(values, set, change.token());
        values.add(entry.getKey());
        addToken(values, where, change.token());
        for (int i = 0; i < values.size(); i++) {
          update.setObject(i + 1, values.get(i));
        }
        missed += 1 - update.executeUpdate();
      }
    }
    return missed;
  }

  private static void addToken(List<@Nullable Object> values, String sql, long token) {
    if (sql.contains("?")) {
      values.add(token);
    }
  }

  /** What {@link #SET} wants. */
  static List<@Nullable Object> parameters(Change change, Change.Cell cell) {
    return Arrays.asList(cell.fresh(), change.op(), change.token(), cell.read().ver(), cell.old());
  }

  /** What {@link #SET} sets, by column. */
  static SortedMap<String, @Nullable Object> columns(Change change, Change.Cell cell) {
    SortedMap<String, @Nullable Object> columns = new java.util.TreeMap<>();
    columns.put("value", cell.fresh());
    columns.put("op_id", change.op());
    columns.put("op_token", change.token());
    columns.put("op_read_ver", cell.read().ver());
    columns.put("op_old", cell.old());
    return columns;
  }

  /** A value as histories have it: a number, or a list of numbers. */
  public static Object value(Workload workload, String text) {
    if (workload != Workload.LIST_APPEND) {
      return Long.valueOf(text);
    }
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(" ", -1)).map(Long::valueOf).toList();
  }

  /** A value as the table has it. */
  public static String text(@Nullable Object value) {
    return value instanceof List<?> list
        ? list.stream().map(String::valueOf).collect(Collectors.joining(" "))
        : String.valueOf(value);
  }
}
