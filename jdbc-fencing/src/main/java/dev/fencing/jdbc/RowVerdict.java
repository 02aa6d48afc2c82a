package dev.fencing.jdbc;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges a write by the fence of its locked row, and says in words what it found. */
final class RowVerdict {

  private RowVerdict() {}

  /**
   * @param changed whether the database says that it has written
   * @param found the fence after that, null without a row
   * @param silent whether the database reports nothing for a row that held the values already
   */
  static RowResult of(
      RowOperation operation, boolean changed, @Nullable RowState found, boolean silent) {
    return new RowResult(outcome(operation, changed, found, silent), found);
  }

  private static UpdateOutcome outcome(
      RowOperation operation, boolean changed, @Nullable RowState found, boolean silent) {
    if (found == null) {
      if (operation.removesRow()) {
        return changed ? UpdateOutcome.APPLIED : UpdateOutcome.MISSING;
      }
      boolean wasThere = changed || operation.kind() == RowOperation.Kind.UPSERT;
      return wasThere ? UpdateOutcome.HIDDEN : UpdateOutcome.MISSING;
    }
    int order = found.fence().compareToken(operation.mine());
    if (changed) {
      boolean mine = order == 0 && operation.sameClaim(found) && !operation.removesRow();
      return mine ? UpdateOutcome.APPLIED : UpdateOutcome.HIDDEN;
    }
    if (order > 0) {
      return UpdateOutcome.STALE;
    }
    if (operation.throughHandle()) {
      return order < 0
          ? UpdateOutcome.LOST
          : operation.sameClaim(found) ? swallowed(silent) : UpdateOutcome.STALE;
    }
    if (order == 0 && operation.needsGreater()) {
      return UpdateOutcome.STALE;
    }
    if (!operation.passes(found)) {
      return UpdateOutcome.MISSING; // The fence would let it pass, so it is a tombstone.
    }
    return order == 0 ? swallowed(silent) : UpdateOutcome.HIDDEN;
  }

  private static UpdateOutcome swallowed(boolean silent) {
    return silent ? UpdateOutcome.UNCHANGED : UpdateOutcome.HIDDEN;
  }

  /** The exception for an outcome that is no success. */
  static FencingException refusal(RowOperation operation, RowResult result) {
    RowState found = result.found();
    return switch (result.outcome()) {
      case STALE -> stale(operation, found == null ? operation.mine() : found.fence());
      case MISSING ->
          new FenceMissingException(
              "%s: there is no such row%s, so there is no fence to judge by. Nothing was written. A row that does not exist yet is created by upsert"
                  .formatted(
                      operation.inWords(), found == null ? "" : " any more, it is a tombstone"));
      case LOST ->
          new FenceMissingException(
              "%s: the row's fence is at %s, below what the claim stored: the database lost the claim (failover or restore), or somebody set the fence back. Nothing was written. Find out which before you acquire the lock again"
                  .formatted(
                      operation.inWords(), found == null ? "nothing" : found.fence().pair()));
      case HIDDEN ->
          new FenceSchemaException(
              "%s: the fence, at %s, lets it pass, but the row does not show the write: a trigger or a rule of table %s has swallowed it, or put the fence column back. Nothing is kept; whether the token is stale cannot be judged"
                  .formatted(
                      operation.inWords(),
                      found == null ? "no row" : shown(found.fence()),
                      operation.shape().table()),
              null);
      case APPLIED, UNCHANGED ->
          throw new IllegalArgumentException(result.outcome() + " is no refusal");
    };
  }

  /** The exception for a batch of which at least one row was refused, null if none was. */
  static @Nullable FencingException ofBatch(
      List<RowOperation> operations, List<RowResult> results) {
    List<RefusedBatchException.Verdict> verdicts = new ArrayList<>();
    List<FencingException> refusals = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      RowOperation operation = operations.get(i);
      RowResult result = results.get(i);
      verdicts.add(new RefusedBatchException.Verdict(operation.key(), result.outcome()));
      if (!result.outcome().isApplied()) {
        refusals.add(refusal(operation, result));
      }
    }
    if (refusals.isEmpty()) {
      return null;
    }
    FencingException first = refusals.get(0);
    return new RefusedBatchException(
        "%d of %d rows of a batch with token %s were refused, so nothing of it was written. The first: %s"
            .formatted(
                refusals.size(),
                results.size(),
                operations.get(0).mine().pair(),
                first.getMessage()),
        verdicts,
        first);
  }

  private static FencingException stale(RowOperation operation, FenceRow stored) {
    boolean same = stored.compareToken(operation.mine()) == 0;
    String reason =
        !same
            ? "A newer holder has taken over. If the lock granted the token just now, the source of tokens has started again: raise the generation"
            : operation.throughHandle()
                ? "The row was claimed or overwritten again under the same token, which ended this handle; go on with the newest claim"
                : operation.shape().strict()
                    ? "This table takes one write per token, and this token has had its write of this row"
                    : "The token has claimed or written the row before, and without a claim column two handles of one token could not be told apart: keep the first handle, or name a claimColumn";
    return new StaleTokenException(
        "stale token for %s: presented %s, but the row's fence is at %s. Nothing was written (%s). %s. Never retry with this handle or token."
            .formatted(
                operation.row(),
                operation.mine().pairBeside(stored),
                stored.pairBeside(operation.mine()),
                operation.inWords(),
                reason),
        operation.row(),
        operation.mine(),
        stored);
  }

  private static String shown(FenceRow fence) {
    return fence.token() == 0 ? "NULL or 0" : fence.pair();
  }
}
