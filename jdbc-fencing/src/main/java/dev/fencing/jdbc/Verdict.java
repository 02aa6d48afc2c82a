package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * Judges a presented raise by the stored one: it passes on equality of all three and never else.
 */
final class Verdict {

  private static final String REBUILT =
      "docs/rebuilt-ensemble.md of the project explains what a generation is and how to raise it";

  private Verdict() {}

  /** Returns why a raise was refused, or null if it is what the fence holds. */
  static @Nullable FencingException ofRaise(
      String resource, FenceRow presented, @Nullable FenceRow stored) {
    if (stored == null || stored.sameRaise(presented) || stored.isTombstone()) {
      return ofCheck(resource, presented, stored);
    }
    if (stored.hasOtherOrigin(presented)) {
      return new FencingException(
          "the raise of resource \"%s\" to token %s was refused: its tokens come from \"%s\", and this one comes from \"%s\"; tokens of two sources have no order. Nothing was written. Use one lock for one resource; to move it to another lock, raise the generation (%s)"
              .formatted(resource, presented.pair(), stored.origin(), presented.origin(), REBUILT),
          null);
    }
    int order = stored.compareToken(presented);
    if (order > 0) {
      return stale(
          "stale token for resource \"%s\": the raise to %s was refused, the fence is at %s, raised by %s. Nothing was written. Release the lock and acquire it again; never retry with this token. If the lock granted it just now, the source of tokens has started again, as a ZooKeeper rebuilt from nothing does: raise the generation in the configuration of all holders (%s)",
          resource, presented, stored, REBUILT);
    }
    if (order == 0) {
      return stale(
          "stale token for resource \"%s\": %s was raised before, the fence is at %s, raised by %s; one hold is raised once, so that no two handles of it write side by side. Nothing was written. Keep the handle of the first raise, or hand its text to JdbcFence.attach; if it is gone, release the lock and acquire it again",
          resource, presented, stored, "");
    }
    return ofCheck(resource, presented, stored);
  }

  /** Returns why a check was refused, or null if the fence holds what was presented. */
  static @Nullable FencingException ofCheck(
      String resource, FenceRow presented, @Nullable FenceRow stored) {
    if (stored == null) {
      return new FenceMissingException(
          "resource \"%s\" has no fence row although token %s was raised: the row was deleted, the database lost the raise, or this connection reaches another database or schema. Nothing was written. Find out which before you acquire the lock again."
              .formatted(resource, presented.pair()));
    }
    if (stored.isTombstone() && !presented.isTombstone()) {
      return new StaleTokenException(
          "resource \"%s\" is retired, by %s, and refuses every token, %s too. Nothing was written. Whoever still works on it is left over from before; a new resource needs a new name."
              .formatted(resource, stored.raisedBy(), presented.pair()),
          resource,
          presented,
          stored);
    }
    int order = stored.compareToken(presented);
    if (order > 0) {
      return stale(
          "stale token for resource \"%s\": presented %s, but the fence is at %s, raised by %s. A newer holder has taken over; nothing was written. Stop this work, release the lock and acquire it again; never retry with this token.%s",
          resource,
          presented,
          stored,
          stored.generation() > presented.generation()
              ? " The generation was raised, too: this process may run on an old configuration ("
                  + REBUILT
                  + ")"
              : "");
    }
    if (order < 0) {
      return new FenceMissingException(
          "the fence of resource \"%s\" is at %s, raised by %s, below this handle's own raise of %s: the database lost that raise (failover or restore). Nothing was written. Find out what else it lost before you acquire the lock again."
              .formatted(
                  resource,
                  stored.pairBeside(presented),
                  stored.raisedBy(),
                  presented.pairBeside(stored)));
    }
    if (stored.raiseId() != presented.raiseId()) {
      return new StaleTokenException(
          "token %s of resource \"%s\" belongs to another raise, by %s: a renewal, or another process, has ended this handle. Nothing was written. Go on with the handle that renew() returned; if there is none, release the lock and acquire it again."
              .formatted(presented.pair(), resource, stored.raisedBy()),
          resource,
          presented,
          stored);
    }
    return null;
  }

  private static StaleTokenException stale(
      String message, String resource, FenceRow presented, FenceRow stored, String more) {
    return new StaleTokenException(
        message.formatted(
            resource,
            presented.pairBeside(stored),
            stored.pairBeside(presented),
            stored.raisedBy(),
            more),
        resource,
        presented,
        stored);
  }
}
