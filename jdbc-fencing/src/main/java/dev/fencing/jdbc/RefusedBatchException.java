package dev.fencing.jdbc;

import java.util.List;

/**
 * At least one row of a batch was refused, so that nothing of the whole batch was written.
 *
 * <p>The verdict of every row is in it, in the order of the batch. {@link UpdateOutcome#APPLIED}
 * means that this row alone would have passed. With a {@linkplain UpdateOutcome#STALE stale} row
 * among them it is never retryable under the same token.
 */
public final class RefusedBatchException extends FencingException {

  private static final long serialVersionUID = 1L;

  /**
   * What became of one row.
   *
   * @param key the values of the key columns
   * @param outcome what the row's fence said
   */
  public record Verdict(List<Object> key, UpdateOutcome outcome) {}

  private final transient List<Verdict> verdicts;

  RefusedBatchException(String message, List<Verdict> verdicts, FencingException first) {
    super(message, first);
    this.verdicts = List.copyOf(verdicts);
  }

  /** The verdict of each row, in the order of the batch; the cause is the first refusal. */
  public List<Verdict> verdicts() {
    return verdicts;
  }
}
