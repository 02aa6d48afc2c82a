package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import java.util.Objects;
import java.util.SortedMap;

/**
 * One attempt to write, of one row or of several in one transaction.
 *
 * @param op unique in a run
 * @param token that it presents
 * @param cells by the key of the row; in that order they are written
 */
public record Change(String op, long token, SortedMap<String, Cell> cells) {

  /**
   * One row.
   *
   * @param read what the new value was computed from
   * @param old its text
   * @param fresh the new value as text
   */
  public record Cell(Row read, String old, String fresh) {}

  /** One of its rows. */
  Cell cell(String key) {
    return Objects.requireNonNull(cells.get(key), key);
  }
}
