package dev.fencing.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/** The fence of one row as it is stored, its claim id as raise id; NULL is lower than any token. */
record RowState(FenceRow fence, boolean deleted) {

  static RowState of(TableShape shape, ResultSet row) throws SQLException {
    String generation = shape.generation();
    String claim = shape.claim();
    String tombstone = shape.tombstone();
    // getLong and getBoolean say 0 and false for NULL, which is what it means here.
    FenceRow fence =
        new FenceRow(
            generation == null ? shape.ownGeneration() : row.getLong(generation),
            row.getLong(shape.fence()),
            claim == null ? 0 : row.getLong(claim),
            null,
            null);
    return new RowState(fence, tombstone != null && row.getBoolean(tombstone));
  }
}
