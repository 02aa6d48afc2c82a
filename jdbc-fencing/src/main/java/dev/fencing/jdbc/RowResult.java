package dev.fencing.jdbc;

import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of a {@link RowOperation}; {@code values} are those that a claim has read. */
record RowResult(
    UpdateOutcome outcome, @Nullable RowState found, Map<String, @Nullable Object> values) {

  RowResult(UpdateOutcome outcome, @Nullable RowState found) {
    this(outcome, found, Collections.emptyMap());
  }

  RowResult with(Map<String, @Nullable Object> read) {
    return new RowResult(outcome, found, read);
  }
}
