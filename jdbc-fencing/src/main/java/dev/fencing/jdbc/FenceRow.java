package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * One state of a fence. Raises are ordered by (generation, token); {@code raiseId} tells two raises
 * of the same token apart. {@code origin} is where the tokens come from, if anybody has said so;
 * {@code raisedBy} is for messages only.
 */
record FenceRow(
    long generation, long token, long raiseId, @Nullable String origin, @Nullable String raisedBy) {

  /** Greater than every raise, so that everything else that knows a fence refuses it, too. */
  static FenceRow tombstone(long raiseId, String raisedBy) {
    return new FenceRow(Long.MAX_VALUE, Long.MAX_VALUE, raiseId, null, raisedBy);
  }

  boolean isTombstone() {
    return generation == Long.MAX_VALUE && token == Long.MAX_VALUE;
  }

  boolean sameRaise(FenceRow other) {
    return compareToken(other) == 0 && raiseId == other.raiseId;
  }

  int compareToken(FenceRow other) {
    int byGeneration = Long.compare(generation, other.generation);
    return byGeneration != 0 ? byGeneration : Long.compare(token, other.token);
  }

  /**
   * Whether both say where their tokens come from, and it is not the same; then no token counts.
   */
  boolean hasOtherOrigin(FenceRow other) {
    return generation == other.generation
        && origin != null
        && other.origin != null
        && !origin.equals(other.origin);
  }

  FenceRow withRaiseId(long newRaiseId) {
    return new FenceRow(generation, token, newRaiseId, origin, raisedBy);
  }

  /** The pair for messages; the generation only once an operator has raised it. */
  String pair() {
    return generation == 0 ? Long.toString(token) : inFull();
  }

  /** The pair beside another one: with the generation if either has one. */
  String pairBeside(FenceRow other) {
    return generation == 0 && other.generation == 0 ? Long.toString(token) : inFull();
  }

  private String inFull() {
    return token + " of generation " + generation;
  }
}
