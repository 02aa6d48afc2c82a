package dev.fencing.examples.job;

import dev.fencing.jdbc.StaleTokenException;

/** Is told what the job does, on the thread of the election. */
public interface JobListener {

  /** This process was elected, and has raised the fence to {@code token}. */
  default void leading(long token) {}

  /** Deposits were booked to {@code accounts} accounts. */
  default void depositsBooked(int accounts) {}

  /** New balances are computed from what was read; they will be written next. */
  default void computed(Batch batch) {}

  /** The balances are written and committed, and so is the job's position. */
  default void written(Batch batch) {}

  /** The database refused this leader, because a newer one has raised the fence. */
  default void refused(StaleTokenException refusal) {}

  /** The lease of {@code token} was lost between two batches. */
  default void leaseLost(long token) {}
}
