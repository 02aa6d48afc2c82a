package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * One state of a fence. Raises are ordered by (generation, token); {@code raiseId} tells two raises
 * of the same token apart. {@code raisedBy} is for messages only.
 */
record FenceRow(long generation, long token, long raiseId, @Nullable String raisedBy) {

  boolean sameRaise(FenceRow other) {
    return compareToken(other) == 0 && raiseId == other.raiseId;
  }

  int compareToken(FenceRow other) {
    int byGeneration = Long.compare(generation, other.generation);
    return byGeneration != 0 ? byGeneration : Long.compare(token, other.token);
  }

  /** The pair for messages; the generation only once an operator has raised it. */
  String pair() {
    return generation == 0 ? Long.toString(token) : token + " of generation " + generation;
  }
}
