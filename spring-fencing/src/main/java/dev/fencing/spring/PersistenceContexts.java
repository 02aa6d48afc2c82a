package dev.fencing.spring;

import jakarta.persistence.EntityManager;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The persistence contexts that are open on this thread before the lock is acquired, as under
 * open-in-view.
 *
 * <p>What they hold was read before the raise. A transaction that begins on one of them would
 * compute from that instead of reading, and could write it back under a valid token.
 */
final class PersistenceContexts {

  private static final boolean JPA =
      ClassUtils.isPresent(
          "org.springframework.orm.jpa.EntityManagerHolder",
          PersistenceContexts.class.getClassLoader());

  private PersistenceContexts() {}

  /**
   * Detaches all that was loaded, so that it is read anew and never flushed.
   *
   * @throws IllegalStateException if an argument of the work is among it: to merge it would write
   *     back what was read before the raise
   */
  static void forgetWhatWasRead(@Nullable Object[] arguments) {
    if (JPA) {
      Jpa.clear(arguments);
    }
  }

  static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
    return JPA ? Jpa.dataSource(manager) : null;
  }

  /** Loaded only where JPA is. */
  private static final class Jpa {

    static void clear(@Nullable Object[] arguments) {
      for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
        if (resource instanceof EntityManagerHolder holder) {
          EntityManager manager = holder.getEntityManager();
          for (Object argument : arguments) {
            if (argument != null && isLoaded(manager, argument)) {
              throw new IllegalStateException(
                  "an argument of the fenced call, a %s, was loaded before the fence was raised, so another holder may have changed its row since: pass its id, and load it inside"
                      .formatted(argument.getClass().getName()));
            }
          }
          manager.clear();
        }
      }
    }

    private static boolean isLoaded(EntityManager manager, Object argument) {
      try {
        return manager.contains(argument);
      } catch (IllegalArgumentException e) {
        return false; // No entity at all.
      }
    }

    static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
      return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
    }
  }
}
