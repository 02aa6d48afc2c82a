package dev.fencing.examples.comparison.history;

/**
 * One attempt to take the lock, read a balance, think, and write a balance computed by the client.
 * The times are values of {@link System#nanoTime} on one machine, which has one origin for all its
 * processes; 0 means that the transaction never got there.
 *
 * @param number its place in the schedule; it adds an amount of its own
 * @param worker the process that ran it
 * @param account the row that it changed
 * @param amount what it adds to the balance that it read; no other transaction of the run adds the
 *     same
 * @param requestedAt when it asked for the lock
 * @param acquiredAt when it was told that it had the lock
 * @param readAt when it had read the balance
 * @param endedAt when its work was over, before it asked for the release; where the commit itself
 *     is the release, just before the commit was sent
 * @param releasedAt when the release had been answered
 * @param token 0 if the lock gives none
 * @param read the balance that it read
 * @param wrote the balance that it wrote, or would have
 * @param frozenNanos how long its process was stopped while it was going on
 * @param detail what went wrong, on one line; empty if nothing did
 */
public record Transaction(
    int number,
    int worker,
    String account,
    long amount,
    long requestedAt,
    long acquiredAt,
    long readAt,
    long endedAt,
    long releasedAt,
    long token,
    long read,
    long wrote,
    Outcome outcome,
    long frozenNanos,
    String detail) {

  /** Keeps the detail on one line, so that a line of a file is a transaction. */
  public Transaction {
    detail = detail.replaceAll("\\R", " ");
  }

  /** Returns the same transaction, stopped for so long. */
  public Transaction frozenFor(long nanos) {
    return new Transaction(
        number,
        worker,
        account,
        amount,
        requestedAt,
        acquiredAt,
        readAt,
        endedAt,
        releasedAt,
        token,
        read,
        wrote,
        outcome,
        nanos,
        detail);
  }
}
