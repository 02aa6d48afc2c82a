package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * What became of an operation that is applied once, however often it is tried.
 *
 * @param <T> what the work returns
 */
public sealed interface OperationOutcome<T extends @Nullable Object> {

  /**
   * This call ran the work and committed it.
   *
   * @param result what the work returned
   * @param <T> what the work returns
   */
  record Applied<T extends @Nullable Object>(T result) implements OperationOutcome<T> {}

  /**
   * An earlier call had committed it, and the work did not run; read what it has left behind.
   *
   * @param generation of the token under which it was applied
   * @param token under which it was applied
   * @param <T> what the work returns
   */
  record AlreadyApplied<T extends @Nullable Object>(long generation, long token)
      implements OperationOutcome<T> {}
}
