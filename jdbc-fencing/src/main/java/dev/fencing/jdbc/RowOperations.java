package dev.fencing.jdbc;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Refuses what cannot be meant before any SQL is made of it. */
final class RowOperations {

  private RowOperations() {}

  static RowOperation checked(
      RowOperation.Kind kind,
      TableShape shape,
      FenceRow mine,
      List<Object> key,
      Map<String, ? extends @Nullable Object> values) {
    if (mine.token() <= 0) {
      throw new IllegalArgumentException(
          "the token for table %s must be greater than 0 but is %d; a token is the czxid of a lock node, or another number that rises with every grant"
              .formatted(shape.table(), mine.token()));
    }
    if (key.size() != shape.key().size()) {
      throw new IllegalArgumentException(
          "the key of table %s is %s, and %d values were given for it"
              .formatted(shape.table(), shape.key(), key.size()));
    }
    for (int i = 0; i < key.size(); i++) {
      Objects.requireNonNull(key.get(i), "key column " + shape.key().get(i) + " is null");
    }
    boolean needsValues = kind == RowOperation.Kind.OVERWRITE || kind == RowOperation.Kind.WRITE;
    if (needsValues && values.isEmpty()) {
      throw new IllegalArgumentException("no values to write to " + shape.row(key));
    }
    TreeMap<String, @Nullable Object> sorted = new TreeMap<>();
    values.forEach(
        (column, value) -> {
          requireUsers(shape, column);
          sorted.put(column, value);
        });
    RowOperation operation = new RowOperation(kind, shape, mine, List.copyOf(key), sorted);
    requireAllowed(operation);
    return operation;
  }

  private static void requireUsers(TableShape shape, String column) {
    FencedTableBuilder.requireColumn(column);
    if (shape.key().contains(column) || shape.stateColumns().contains(column)) {
      throw new IllegalArgumentException(
          "column %s of table %s is %s and cannot be among the values"
              .formatted(
                  column,
                  shape.table(),
                  shape.key().contains(column) ? "part of the key" : "the library's own"));
    }
  }

  private static void requireAllowed(RowOperation operation) {
    TableShape shape = operation.shape();
    if (operation.removesRow() && !shape.deletesForGood()) {
      throw new IllegalStateException(
          "%s would delete the row's fence with it, and an older holder's late upsert would then pass. Name a tombstoneColumn for table %s, or say deletesForGood() if no row ever comes back under its key"
              .formatted(operation.inWords(), shape.table()));
    }
    if (operation.kind() == RowOperation.Kind.UPSERT && shape.deletesForGood()) {
      throw new IllegalStateException(
          "%s: the rows of table %s are deleted for good, so an upsert with an old token would pass where the row's fence is gone. Name a tombstoneColumn instead of deletesForGood()"
              .formatted(operation.inWords(), shape.table()));
    }
  }
}
