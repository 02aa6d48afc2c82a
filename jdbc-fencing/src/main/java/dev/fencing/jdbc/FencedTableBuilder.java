package dev.fencing.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link FencedTable}; refuses a bad value at once.
 *
 * <p>Names of columns have lower-case letters, digits and underscores and do not begin with a
 * digit: they become SQL, unquoted. Every method that takes one throws {@link
 * IllegalArgumentException} for any other. All processes that write the table must build it alike.
 * Not thread-safe.
 */
public final class FencedTableBuilder {

  private static final Pattern COLUMN = Pattern.compile("[a-z_][a-z0-9_]*");

  private final DataSource dataSource;
  private final String table;
  private List<String> key = List.of("id");
  private String fence = "fencing_token";
  private @Nullable String generation;
  private long ownGeneration;
  private @Nullable String claim;
  private @Nullable String tombstone;
  private boolean strict;
  private boolean deletesForGood;
  private Duration timeout = JdbcFence.DEFAULT_RAISE_TIMEOUT;

  FencedTableBuilder(DataSource dataSource, String table) {
    this.dataSource = FencedDataSource.requireNone(dataSource);
    this.table = Settings.requireTable(table);
  }

  /**
   * Names the key columns, {@code id} by default; a primary key or unique constraint must be on
   * exactly these.
   *
   * @param columns at least one; their order is that of the key values in every call
   */
  public FencedTableBuilder key(String... columns) {
    if (columns.length == 0) {
      throw new IllegalArgumentException("table " + table + " needs at least one key column");
    }
    List<String> names = new ArrayList<>();
    for (String column : columns) {
      names.add(requireColumn(column));
    }
    this.key = List.copyOf(names);
    return this;
  }

  /** Names the column of the fence, {@code fencing_token} by default, of type {@code bigint}. */
  public FencedTableBuilder fenceColumn(String column) {
    this.fence = requireColumn(column);
    return this;
  }

  /**
   * Names a column of type {@code bigint} for the generation of the tokens, none by default. It is
   * compared before the token, and an operator raises it in the configuration of all holders after
   * the source of tokens was rebuilt and started again near zero.
   *
   * @param generation of this process's tokens, 0 or greater
   */
  public FencedTableBuilder generationColumn(String column, long generation) {
    this.generation = requireColumn(column);
    if (generation < 0) {
      throw new IllegalArgumentException("generation must be 0 or greater but is " + generation);
    }
    this.ownGeneration = generation;
    return this;
  }

  /**
   * Names a column of type {@code bigint} for the random number of each claim, none by default. It
   * tells two claims of one token apart, so that a row can be claimed again under the same token;
   * every claim and every blind write ends the handle of the claim before.
   */
  public FencedTableBuilder claimColumn(String column) {
    this.claim = requireColumn(column);
    return this;
  }

  /**
   * Names a boolean column that marks a deleted row, which stays and keeps its fence; none by
   * default. Statements of your own must look at it.
   */
  public FencedTableBuilder tombstoneColumn(String column) {
    this.tombstone = requireColumn(column);
    return this;
  }

  /**
   * Lets a delete remove the row, and its fence with it, and refuses upsert in return. Only where
   * no row ever comes back under the key of a deleted one, by whichever way.
   */
  public FencedTableBuilder deletesForGood() {
    this.deletesForGood = true;
    return this;
  }

  /**
   * Takes one write per token: a claim or blind write passes if {@code stored < token}, so that a
   * request which is delivered twice is done once. Without it, {@code stored <= token}.
   */
  public FencedTableBuilder strict() {
    this.strict = true;
    return this;
  }

  /**
   * Bounds each call in all, 15 s by default; the network may stay silent for 2 s longer.
   *
   * @param timeout 1 ms to 1 hour; MySQL and MariaDB wait whole seconds for a lock
   * @throws IllegalArgumentException if it is outside that range
   */
  public FencedTableBuilder timeout(Duration timeout) {
    this.timeout = Settings.requireTimeout("timeout", timeout);
    return this;
  }

  /**
   * Returns the table; asks no database. The first use checks the columns.
   *
   * @throws IllegalArgumentException if two columns have the same name, or the table has tombstones
   *     and deletes for good
   */
  public FencedTable build() {
    if (tombstone != null && deletesForGood) {
      throw new IllegalArgumentException(
          "table " + table + " has a tombstoneColumn, so it cannot have deletesForGood() too");
    }
    TableShape shape =
        new TableShape(
            table, key, fence, generation, ownGeneration, claim, tombstone, strict, deletesForGood);
    List<String> columns = new ArrayList<>(shape.stateColumns());
    columns.addAll(key);
    if (new HashSet<>(columns).size() < columns.size()) {
      throw new IllegalArgumentException(
          "the columns of table " + table + " must differ but are " + columns);
    }
    return new FencedTable(new RowAccess(dataSource, shape, timeout), shape, null);
  }

  /** An identifier that needs no quoting, since it becomes part of the SQL. */
  static String requireColumn(String column) {
    Objects.requireNonNull(column, "the name of a column is null");
    if (!COLUMN.matcher(column).matches()) {
      String shown = column.length() <= 40 ? column : column.substring(0, 40) + "…";
      throw new IllegalArgumentException(
          "the name of a column has lower-case letters, digits and underscores, but this one is \"%s\""
              .formatted(shown.replace('\0', '?')));
    }
    return column;
  }
}
