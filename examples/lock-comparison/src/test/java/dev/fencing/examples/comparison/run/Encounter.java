package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Workload;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.work.Pauses;
import dev.fencing.examples.comparison.work.Planned;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Two transactions on one row, of which the first is stopped before its write until the second has
 * gone as far as is told: no time is guessed.
 */
final class Encounter implements Pauses {

  /** The one that is stopped first. */
  static final int FIRST = 1;

  /** The one that comes meanwhile. */
  static final int SECOND = 2;

  private static final double MORE_THAN_A_LEASE = 1.1;
  private static final long BOUND_SECONDS = 60;

  private final Pauses planned;
  private final boolean secondIsStopped;
  private final boolean waits;
  private final CountDownLatch firstStopped = new CountDownLatch(1);
  private final CountDownLatch secondThere = new CountDownLatch(1);
  private final CountDownLatch firstTried = new CountDownLatch(1);

  private Encounter(Pauses planned, boolean secondIsStopped, boolean waits) {
    this.planned = planned;
    this.secondIsStopped = secondIsStopped;
    this.waits = waits;
  }

  /** The first wakes up when the second has written. */
  static Encounter afterTheWrite(Pauses planned) {
    return new Encounter(planned, false, true);
  }

  /** The first wakes up when the second has read, and writes before the second does. */
  static Encounter betweenReadAndWrite(Pauses planned) {
    return new Encounter(planned, true, true);
  }

  /** The first wakes up when its time is over, whatever the second does. */
  static Encounter inTime(Pauses planned) {
    return new Encounter(planned, false, false);
  }

  /** The schedule of one that wakes up after the write, or in time. */
  static List<Planned> schedule(Workload workload, boolean fault) {
    return List.of(
        new Planned(FIRST, workload.row(0), 10, MORE_THAN_A_LEASE, false, fault),
        new Planned(SECOND, workload.row(0), 200, 0, false, false));
  }

  /** The schedule of one that wakes up between the read and the write of the other. */
  static List<Planned> scheduleOfTwoPauses(Workload workload) {
    return List.of(
        new Planned(FIRST, workload.row(0), 10, MORE_THAN_A_LEASE, false, false),
        new Planned(SECOND, workload.row(0), 200, MORE_THAN_A_LEASE, false, false));
  }

  @Override
  public void before(Planned transaction) throws Exception {
    planned.before(transaction);
    if (transaction.number() == SECOND) {
      await(firstStopped, "the first transaction to be stopped");
    }
  }

  @Override
  public void whileStopped(Planned transaction) throws Exception {
    if (transaction.number() == SECOND) {
      secondThere.countDown();
      await(firstTried, "the first transaction to try its write");
      return;
    }
    firstStopped.countDown();
    planned.whileStopped(transaction);
    if (waits) {
      await(secondThere, "the second transaction");
    }
  }

  @Override
  public void after(Transaction attempt) {
    planned.after(attempt);
    if (attempt.number() == FIRST) {
      firstTried.countDown();
    } else if (!secondIsStopped && attempt.outcome() == Outcome.WRITTEN) {
      secondThere.countDown();
    }
  }

  private static void await(CountDownLatch latch, String what) throws InterruptedException {
    if (!latch.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("waited %d s for %s".formatted(BOUND_SECONDS, what));
    }
  }
}
