package dev.fencing.jdbc;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The key of one row and the values to be written to it, for a batch of a {@link FencedTable}.
 *
 * <p>Both are copied. Immutable if the values are.
 *
 * @param key the values of the key columns, in their order
 * @param values column name to value, null for SQL's NULL
 */
public record RowUpdate(List<Object> key, Map<String, @Nullable Object> values) {

  /** Copies both, since a batch is read after the call. */
  public RowUpdate {
    key = List.copyOf(key);
    values = Collections.unmodifiableMap(new TreeMap<>(values));
  }

  /**
   * Returns the values for one row.
   *
   * @param values column name to value, null for SQL's NULL
   * @param key the values of the key columns, in their order
   * @throws NullPointerException if a part of the key is null
   */
  public static RowUpdate of(Map<String, ? extends @Nullable Object> values, Object... key) {
    return new RowUpdate(Arrays.asList(key), new TreeMap<>(values));
  }
}
