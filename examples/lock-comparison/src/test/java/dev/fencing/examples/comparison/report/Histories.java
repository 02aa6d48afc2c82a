package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.List;
import java.util.Map;

/** Runs written by hand; all times are milliseconds. */
final class Histories {

  private static final long MILLI = 1_000_000;

  private Histories() {}

  /** A transaction on the account "alice" that never stopped. */
  static Transaction transaction(int number, long amount, long read, Outcome outcome) {
    return transaction(number, amount, read, outcome, 0, number * 10L, number * 10L + 5, 0);
  }

  static Transaction transaction(
      int number,
      long amount,
      long read,
      Outcome outcome,
      long token,
      long acquired,
      long ended,
      long frozen) {
    return new Transaction(
        number,
        number % 4,
        "alice",
        amount,
        (acquired - 2) * MILLI,
        acquired * MILLI,
        (acquired + 1) * MILLI,
        ended * MILLI,
        (ended + 1) * MILLI,
        token,
        read,
        read + amount,
        outcome,
        frozen * MILLI,
        "");
  }

  /** A transaction without contention that took so many milliseconds for each of its parts. */
  static Transaction timed(int number, long acquire, long read, long write, long release) {
    long start = 1_000L * number;
    return new Transaction(
        number,
        0,
        "alice",
        number,
        start * MILLI,
        (start + acquire) * MILLI,
        (start + acquire + read) * MILLI,
        (start + acquire + read + write) * MILLI,
        (start + acquire + read + write + release) * MILLI,
        0,
        0,
        number,
        Outcome.WRITTEN,
        0,
        "");
  }

  static Change change(long sequence, long before, long after) {
    return new Change(sequence, "alice", before, after, 0);
  }

  static ArmRun run(String arm, List<Transaction> transactions, List<Change> changes) {
    return run(arm, 1_000, transactions, changes, 3, 2, 1);
  }

  /** A run of 2 s. */
  static ArmRun run(
      String arm,
      long lease,
      List<Transaction> transactions,
      List<Change> changes,
      int pauses,
      int longPauses,
      int overlaps) {
    return new ArmRun(
        arm,
        "the promise of " + arm,
        lease,
        transactions,
        changes,
        500 * MILLI,
        2_500 * MILLI,
        pauses,
        longPauses,
        overlaps,
        Map.of());
  }
}
