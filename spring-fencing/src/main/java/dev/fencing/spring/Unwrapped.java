package dev.fencing.spring;

import dev.fencing.jdbc.FencingException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/** Gives the caller what the fence threw, where Spring's translation has wrapped it. */
final class Unwrapped {

  /** Work that may throw. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object, X extends Exception> {
    T run() throws X;
  }

  private Unwrapped() {}

  static <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X {
    try {
      return work.run();
    } catch (TransactionException | DataAccessException e) {
      FencingException within = within(e);
      throw within == null ? e : within;
    }
  }

  /** Returns the outermost exception of the fence among the causes, or null. */
  static @Nullable FencingException within(@Nullable Throwable failure) {
    int depth = 0;
    for (Throwable e = failure; e != null && depth < 50; e = e.getCause(), depth++) {
      if (e instanceof FencingException found) {
        return found;
      }
    }
    return null;
  }
}
