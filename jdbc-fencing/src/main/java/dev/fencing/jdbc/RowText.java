package dev.fencing.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The SQL of row mode that all databases have in common.
 *
 * <p>Names are checked before they get here; everything else is bound.
 */
final class RowText {

  private RowText() {}

  /** The conditional write of a row that is there: an UPDATE, or a DELETE without tombstones. */
  static BoundSql write(RowOperation operation) {
    TableShape shape = operation.shape();
    BoundSql text = new BoundSql();
    if (operation.removesRow()) {
      text.add("DELETE FROM " + shape.table());
    } else {
      text.add("UPDATE " + shape.table() + " SET ");
      List<String> assignments = new ArrayList<>();
      operation.values().keySet().forEach(column -> assignments.add(column + " = ?"));
      text.bind(operation.values().values());
      if (!operation.throughHandle()) {
        stored(operation, assignments, text);
      }
      if (shape.tombstone() != null && operation.deletes()) {
        assignments.add(shape.tombstone() + " = TRUE");
      } else if (shape.tombstone() != null && revives(operation)) {
        assignments.add(shape.tombstone() + " = FALSE");
      }
      text.add(String.join(", ", assignments));
    }
    return text.add(where(operation)).add(accepted(operation, ""));
  }

  private static boolean revives(RowOperation operation) {
    return operation.kind() == RowOperation.Kind.UPSERT
        || operation.kind() == RowOperation.Kind.WRITE;
  }

  private static void stored(RowOperation operation, List<String> assignments, BoundSql text) {
    TableShape shape = operation.shape();
    assignments.add(shape.fence() + " = ?");
    text.bind(List.of(operation.mine().token()));
    if (shape.generation() != null) {
      assignments.add(shape.generation() + " = ?");
      text.bind(List.of(operation.mine().generation()));
    }
    if (shape.claim() != null) {
      assignments.add(shape.claim() + " = ?");
      text.bind(List.of(operation.mine().raiseId()));
    }
  }

  /** Whether a row holds the fence of the operation. */
  static BoundSql stored(RowOperation operation) {
    TableShape shape = operation.shape();
    FenceRow mine = operation.mine();
    BoundSql text = new BoundSql().add(" AND " + shape.fence() + " = ?", mine.token());
    if (shape.generation() != null) {
      text.add(" AND coalesce(" + shape.generation() + ", 0) = ?", mine.generation());
    }
    if (shape.claim() != null) {
      text.add(" AND " + shape.claim() + " = ?", mine.raiseId());
    }
    return text;
  }

  /** The INSERT of an upsert, with its fence. */
  static BoundSql insert(RowOperation operation, String alias) {
    TableShape shape = operation.shape();
    List<String> columns = insertedColumns(operation);
    BoundSql text =
        new BoundSql()
            .add("INSERT INTO " + shape.table() + alias + " (")
            .add(String.join(", ", columns) + ") VALUES (")
            .add(String.join(", ", Collections.nCopies(columns.size(), "?")) + ")")
            .bind(operation.key())
            .bind(operation.values().values());
    text.bind(List.of(operation.mine().token()));
    if (shape.generation() != null) {
      text.bind(List.of(operation.mine().generation()));
    }
    if (shape.claim() != null) {
      text.bind(List.of(operation.mine().raiseId()));
    }
    return shape.tombstone() == null ? text : text.bind(List.of(false));
  }

  static List<String> insertedColumns(RowOperation operation) {
    List<String> columns = new ArrayList<>(operation.shape().key());
    columns.addAll(operation.values().keySet());
    columns.addAll(operation.shape().stateColumns());
    return columns;
  }

  /** Reads {@code columns} of the row and keeps it locked until the transaction ends. */
  static BoundSql lock(RowOperation operation, String columns, String clause) {
    return new BoundSql()
        .add("SELECT " + columns + " FROM " + operation.shape().table())
        .add(where(operation))
        .add(clause);
  }

  static String stateColumns(TableShape shape) {
    return String.join(", ", shape.stateColumns());
  }

  /** Finds out whether the columns are there, and of what type; returns no row. */
  static String probe(TableShape shape) {
    return "SELECT %s, %s FROM %s WHERE 1 = 0"
        .formatted(stateColumns(shape), String.join(", ", shape.key()), shape.table());
  }

  private static BoundSql where(RowOperation operation) {
    String keys =
        operation.shape().key().stream()
            .map(column -> column + " = ?")
            .collect(Collectors.joining(" AND ", " WHERE ", ""));
    return new BoundSql().add(keys).bind(operation.key());
  }

  /** What {@link RowOperation#passes} says, in SQL. */
  static BoundSql accepted(RowOperation operation, String alias) {
    TableShape shape = operation.shape();
    FenceRow mine = operation.mine();
    String fence = "coalesce(" + alias + shape.fence() + ", 0)";
    String generation =
        shape.generation() == null ? null : "coalesce(" + alias + shape.generation() + ", 0)";
    BoundSql text = new BoundSql();
    if (operation.throughHandle()) {
      return text.add(stored(operation));
    }
    String lower = fence + (operation.needsGreater() ? " < ?" : " <= ?");
    if (generation == null) {
      text.add(" AND " + lower, mine.token());
    } else {
      text.add(" AND (" + generation + " < ?", mine.generation())
          .add(" OR " + generation + " = ? AND " + lower + ")", mine.generation(), mine.token());
    }
    if (shape.tombstone() != null && operation.kind() == RowOperation.Kind.OVERWRITE) {
      text.add(" AND " + alias + shape.tombstone() + " IS NOT TRUE");
    }
    return text;
  }
}
