package dev.fencing.jdbc;

import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Copies a row out of a result set, so that it outlives the transaction. */
final class RowReader {

  private RowReader() {}

  /**
   * Returns what the present row holds, names in lower case.
   *
   * @throws FencingException if the driver cannot read a value
   */
  static Map<String, @Nullable Object> values(RowOperation operation, ResultSet row)
      throws SQLException {
    ResultSetMetaData columns = row.getMetaData();
    Map<String, @Nullable Object> values = new TreeMap<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String column = columns.getColumnLabel(i).toLowerCase(Locale.ROOT);
      try {
        values.put(column, free(row.getObject(i)));
      } catch (SQLException e) {
        throw unreadable(
            "column " + column,
            operation,
            e,
            "A claim reads every column of its row: change the value, or the type of the column");
      }
    }
    return values;
  }

  /**
   * Returns the fence of the present row.
   *
   * @throws FencingException if the driver cannot read it
   */
  static RowState state(RowOperation operation, ResultSet row) {
    try {
      return RowState.of(operation.shape(), row);
    } catch (SQLException e) {
      throw unreadable(
          "one of the columns " + operation.shape().stateColumns(),
          operation,
          e,
          "They must be bigint, and a tombstone boolean");
    }
  }

  /** No SQLException: one of those says that nothing was written, and this may be durable. */
  private static FencingException unreadable(
      String what, RowOperation operation, SQLException cause, String remedy) {
    return new FencingException(
        "%s of %s cannot be read by the driver: %s (SQLState %s). %s"
            .formatted(what, operation.row(), cause.getMessage(), cause.getSQLState(), remedy),
        cause);
  }

  /** A key that is not unique would let one write hit rows of several fences. */
  static void requireOnly(RowOperation operation, ResultSet row) throws SQLException {
    if (row.next()) {
      throw new FenceSchemaException(
          "%s is more than one row: the key columns of a FencedTable must be those of a primary key or unique constraint. Nothing was written"
              .formatted(operation.row()),
          null);
    }
  }

  private static @Nullable Object free(@Nullable Object value) throws SQLException {
    if (value instanceof Clob text) {
      return text.getSubString(1, Math.toIntExact(text.length()));
    }
    if (value instanceof Blob bytes) {
      return bytes.getBytes(1, Math.toIntExact(bytes.length()));
    }
    return value instanceof Array array ? array.getArray() : value;
  }
}
