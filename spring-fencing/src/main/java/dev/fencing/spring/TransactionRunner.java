package dev.fencing.spring;

import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.JdbcFence;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Runs work in a transaction that every exception rolls back, also a checked one. */
final class TransactionRunner {

  private final PlatformTransactionManager manager;
  private final TransactionDefinition definition;

  TransactionRunner(
      PlatformTransactionManager manager, JdbcFence fence, TransactionDefinition definition) {
    this(manager, definition);
    requireFenced(manager, fence);
  }

  private TransactionRunner(PlatformTransactionManager manager, TransactionDefinition definition) {
    this.manager = manager;
    this.definition = definition;
  }

  TransactionRunner with(TransactionDefinition other) {
    return new TransactionRunner(manager, other);
  }

  <T extends @Nullable Object, X extends Exception> T run(Unwrapped.Work<T, X> work) throws X {
    TransactionStatus status = manager.getTransaction(definition);
    T result;
    try {
      result = work.run();
    } catch (Throwable e) {
      rollback(status, e);
      throw e;
    }
    manager.commit(status);
    return result;
  }

  private void rollback(TransactionStatus status, Throwable failure) {
    try {
      manager.rollback(status);
    } catch (RuntimeException e) {
      if (e != failure) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Refuses a manager whose transactions would go around the fence, as far as that can be seen. */
  static void requireFenced(PlatformTransactionManager manager, JdbcFence fence) {
    DataSource dataSource = dataSource(manager);
    if (dataSource == null) {
      return;
    }
    FencedDataSource view = view(dataSource);
    if (view == null) {
      throw new IllegalArgumentException(
          "the transaction manager %s works on %s, which no fence is over: its writes would go around the fence. Give it, and all that it works with, the FencedDataSource"
              .formatted(manager.getClass().getSimpleName(), dataSource));
    }
    if (view.fence() != fence) {
      throw new IllegalArgumentException(
          "the transaction manager %s works on a FencedDataSource of another JdbcFence, which knows nothing of the holds of this one: its writes would not be checked. For a second database use a FencedTemplate with the fence and the transaction manager of that one"
              .formatted(manager.getClass().getSimpleName()));
    }
  }

  private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
    if (!(manager instanceof ResourceTransactionManager resources)) {
      return null;
    }
    return resources.getResourceFactory() instanceof DataSource dataSource
        ? dataSource
        : PersistenceContexts.dataSource(manager);
  }

  private static @Nullable FencedDataSource view(DataSource dataSource) {
    try {
      return dataSource.isWrapperFor(FencedDataSource.class)
          ? dataSource.unwrap(FencedDataSource.class)
          : null;
    } catch (SQLException e) {
      return null;
    }
  }
}
