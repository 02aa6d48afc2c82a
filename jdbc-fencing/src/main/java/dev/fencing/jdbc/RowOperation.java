package dev.fencing.jdbc;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** One fenced write of one row; {@code mine} is what it presents, the claim id as raise id. */
record RowOperation(
    Kind kind,
    TableShape shape,
    FenceRow mine,
    List<Object> key,
    SortedMap<String, @Nullable Object> values) {

  enum Kind {
    CLAIM("claim"),
    OVERWRITE("overwrite"),
    UPSERT("upsert"),
    DELETE("delete"),
    /** Through the handle of a claim. */
    WRITE("write after a claim"),
    /** A delete through the handle of a claim. */
    ERASE("delete after a claim");

    private final String word;

    Kind(String word) {
      this.word = word;
    }
  }

  /** Passes on equality with what the claim stored, instead of by comparison. */
  boolean throughHandle() {
    return kind == Kind.WRITE || kind == Kind.ERASE;
  }

  boolean deletes() {
    return kind == Kind.DELETE || kind == Kind.ERASE;
  }

  boolean removesRow() {
    return deletes() && shape.tombstone() == null;
  }

  /** Whether a fence that is at this very token already refuses it. */
  boolean needsGreater() {
    // Two handles of one token could not be told apart without a claim id.
    return shape.strict() || (kind == Kind.CLAIM && shape.claim() == null);
  }

  /** Whether {@code stored} lets this pass; the same as {@link RowText} says in SQL. */
  boolean passes(RowState stored) {
    int order = stored.fence().compareToken(mine);
    if (throughHandle()) {
      return order == 0 && sameClaim(stored);
    }
    boolean dead = kind == Kind.OVERWRITE && stored.deleted();
    return (needsGreater() ? order < 0 : order <= 0) && !dead;
  }

  boolean sameClaim(RowState stored) {
    return shape.claim() == null || stored.fence().raiseId() == mine.raiseId();
  }

  /** For messages: {@code overwrite of account[id=1] with token 33}. */
  String inWords() {
    return "%s of %s with token %s".formatted(kind.word, row(), mine.pair());
  }

  String row() {
    return shape.row(key);
  }
}
