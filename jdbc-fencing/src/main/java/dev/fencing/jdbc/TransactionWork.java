package dev.fencing.jdbc;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What runs inside one fenced transaction.
 *
 * @param <T> what it returns
 * @param <X> what it throws, {@link java.sql.SQLException} as a rule
 */
@FunctionalInterface
public interface TransactionWork<T extends @Nullable Object, X extends Exception> {

  /**
   * Does the work. The transaction commits when it returns and is rolled back when it throws.
   *
   * @param connection is inside the transaction and refuses commit, rollback of the whole,
   *     setAutoCommit, close and unwrap; it must not be used after this method has returned
   * @return the result of the transaction
   * @throws X passes through unchanged, after the rollback
   */
  T run(Connection connection) throws X;
}
