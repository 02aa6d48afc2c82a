package dev.fencing.examples.comparison.work;

import dev.fencing.examples.comparison.arm.Hold;
import dev.fencing.examples.comparison.arm.Lock;
import dev.fencing.examples.comparison.arm.RefusedException;
import dev.fencing.examples.comparison.arm.Store;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.jdbc.UnknownOutcomeException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a transaction: acquire, read, think, ask whether the lock is still held, write,
 * release.
 */
public final class Attempt {

  /** A place in which a holder may be frozen; it blocks there. */
  public interface Mark {

    /** Blocks until the holder may go on. */
    void reach() throws Exception;
  }

  private static final String CONNECTION_FAILURE = "08";

  private final Planned planned;
  private final int worker;
  private long requestedAt;
  private long acquiredAt;
  private long readAt;
  private long endedAt;
  private long releasedAt;
  private long token;
  private long read;
  private long wrote;
  private boolean writing;
  private Outcome outcome = Outcome.FAILED;
  private String detail = "";

  private Attempt(Planned planned, int worker) {
    this.planned = planned;
    this.worker = worker;
  }

  /** Makes an attempt under a lock, and returns how it went. */
  public static Transaction run(
      Planned planned,
      int worker,
      Lock lock,
      Store store,
      Duration wait,
      Duration think,
      Mark mark) {
    Attempt attempt = new Attempt(planned, worker);
    Hold hold = attempt.acquire(lock, wait);
    if (hold != null) {
      attempt.work(hold, store, think, mark);
      attempt.release(hold);
    }
    return attempt.toTransaction();
  }

  private @Nullable Hold acquire(Lock lock, Duration wait) {
    requestedAt = System.nanoTime();
    try {
      Hold hold = lock.acquire(planned.row(), wait);
      if (hold == null) {
        outcome = Outcome.NOT_LOCKED;
      } else {
        acquiredAt = System.nanoTime();
        token = hold.token();
      }
      return hold;
    } catch (Exception e) {
      failed(e);
      return null;
    }
  }

  private void work(Hold hold, Store store, Duration think, Mark mark) {
    try {
      Store.Work work = store.begin(planned.row(), token);
      read = work.read();
      readAt = System.nanoTime();
      wrote = read + planned.amount();
      TimeUnit.NANOSECONDS.sleep(think.toNanos());
      if (planned.pause() > 0 && planned.beforeCheck()) {
        mark.reach();
      }
      if (!hold.seemsHeld()) {
        outcome = Outcome.LOST_LOCK;
        return;
      }
      // From here on nothing that the client knows can help it.
      if (planned.pause() > 0 && !planned.beforeCheck()) {
        mark.reach();
      }
      writing = true;
      work.write(wrote);
      outcome = Outcome.WRITTEN;
    } catch (RefusedException e) {
      outcome = Outcome.REFUSED;
      detail = String.valueOf(e.getMessage());
    } catch (Exception e) {
      failed(e);
    } finally {
      endedAt = System.nanoTime();
    }
  }

  private void release(Hold hold) {
    try {
      hold.release();
      releasedAt = System.nanoTime();
    } catch (Exception e) {
      if (hold.commits() && outcome == Outcome.WRITTEN) {
        outcome = Outcome.UNKNOWN;
      }
      detail = (detail + " release: " + e).strip();
    }
  }

  private void failed(Exception e) {
    outcome = writing && isUnknown(e) ? Outcome.UNKNOWN : Outcome.FAILED;
    detail = e.toString();
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isUnknown(Exception e) {
    return e instanceof UnknownOutcomeException
        || (e instanceof SQLException sql
            && String.valueOf(sql.getSQLState()).startsWith(CONNECTION_FAILURE));
  }

  private Transaction toTransaction() {
    return new Transaction(
        planned.number(),
        worker,
        planned.row(),
        planned.amount(),
        requestedAt,
        acquiredAt,
        readAt,
        endedAt,
        releasedAt,
        token,
        read,
        wrote,
        outcome,
        0,
        detail);
  }
}
