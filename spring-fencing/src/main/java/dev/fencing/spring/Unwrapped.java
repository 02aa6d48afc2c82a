package dev.fencing.spring;

import dev.fencing.jdbc.FencingException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;

/** Gives the caller what the fence threw, where Spring's translation has wrapped it. */
final class Unwrapped {

  /** Work that may throw. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object, X extends Exception> {
    T run() throws X;
  }

  /** Causes can go round in a circle. */
  private static final int DEEPEST = 50;

  private Unwrapped() {}

  static <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
    try {
      return work.run();
    } catch (TransactionException | DataAccessException e) {
      FencingException within = within(e);
      if (within == null) {
        throw e;
      }
      if (e instanceof TransactionSystemException rollback
          && rollback.getApplicationException() != null) {
        within.addSuppressed(e);
      }
      throw within;
    }
  }

  /** Whether it is a failure of the database or of its transaction, and not of the work. */
  static boolean isOfTheDatabase(Throwable failure) {
    return failure instanceof TransactionException
        || failure instanceof DataAccessException
        || within(failure, SQLException.class) != null;
  }

  /** Returns the outermost exception of the fence among the causes, or null. */
  static @Nullable FencingException within(@Nullable Throwable failure) {
    return within(failure, FencingException.class);
  }

  /** Returns the outermost of that type, or null. */
  static <E> @Nullable E within(@Nullable Throwable failure, Class<E> type) {
    int depth = 0;
    for (Throwable e = failure; e != null && depth < DEEPEST; e = e.getCause(), depth++) {
      if (type.isInstance(e)) {
        return type.cast(e);
      }
      if (e instanceof TransactionSystemException rollback) { // It hides what was rolled back for.
        E first = within(rollback.getApplicationException(), type);
        if (first != null) {
          return first;
        }
      }
    }
    return null;
  }
}
