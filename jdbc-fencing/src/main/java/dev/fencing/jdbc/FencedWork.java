package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * What runs under one hold of the lock, in as many fenced transactions as it likes.
 *
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface FencedWork<T extends @Nullable Object, X extends Exception> {

  /**
   * Does the work.
   *
   * @param resource the fence, raised to the token of this hold
   * @return the result
   * @throws X passes through unchanged, after the release
   */
  T run(FencedResource resource) throws X;
}
