package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * Judges a presented raise by the stored one: it passes on equality of all three and never else.
 */
final class Verdict {

  private Verdict() {}

  /** Returns why a raise was refused, or null if it is what the fence holds. */
  static @Nullable FencingException ofRaise(
      String resource, FenceRow presented, @Nullable FenceRow stored) {
    if (stored != null && stored.compareToken(presented) > 0) {
      return new StaleTokenException(
          "stale token for resource \"%s\": the raise to %s was refused, the fence is at %s, raised by %s. Nothing was written. Release the lock and acquire it again; never retry with this token. If the lock granted it just now, the source of tokens has started again, as a ZooKeeper rebuilt from nothing does: raise the generation in the configuration of all holders"
              .formatted(resource, presented.pair(), stored.pair(), stored.raisedBy()),
          resource,
          presented,
          stored);
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
    int order = stored.compareToken(presented);
    if (order > 0) {
      return new StaleTokenException(
          "stale token for resource \"%s\": presented %s, but the fence is at %s, raised by %s. A newer holder has taken over; nothing was written. Stop this work, release the lock and acquire it again; never retry with this token."
              .formatted(resource, presented.pair(), stored.pair(), stored.raisedBy()),
          resource,
          presented,
          stored);
    }
    if (order < 0) {
      return new FenceMissingException(
          "the fence of resource \"%s\" is at %s, raised by %s, below this handle's own raise of %s: the database lost that raise (failover or restore). Nothing was written. Find out what else it lost before you acquire the lock again."
              .formatted(resource, stored.pair(), stored.raisedBy(), presented.pair()));
    }
    if (stored.raiseId() != presented.raiseId()) {
      return new StaleTokenException(
          "token %s of resource \"%s\" belongs to another raise, by %s: a token is raised once, and a renewal or a second raise ended this handle. Nothing was written. Use the handle that was returned by renew(), or acquire the lock again."
              .formatted(presented.pair(), resource, stored.raisedBy()),
          resource,
          presented,
          stored);
    }
    return null;
  }
}
