package dev.fencing.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A user's table with a fence column: its names, checked, and what its fence demands. */
record TableShape(
    String table,
    List<String> key,
    String fence,
    @Nullable String generation,
    long ownGeneration,
    @Nullable String claim,
    @Nullable String tombstone,
    boolean strict,
    boolean deletesForGood) {

  private static final int LONGEST_SHOWN = 60;

  /** The columns that the library writes and no one else. */
  List<String> stateColumns() {
    List<String> columns = new ArrayList<>(List.of(fence));
    if (generation != null) {
      columns.add(generation);
    }
    if (claim != null) {
      columns.add(claim);
    }
    if (tombstone != null) {
      columns.add(tombstone);
    }
    return columns;
  }

  /** The row for messages, {@code account[id=1]}. */
  String row(List<Object> values) {
    return IntStream.range(0, key.size())
        .mapToObj(i -> key.get(i) + "=" + shown(values.get(i)))
        .collect(Collectors.joining(", ", table + "[", "]"));
  }

  private static String shown(Object value) {
    String text = value.toString();
    return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
  }
}
