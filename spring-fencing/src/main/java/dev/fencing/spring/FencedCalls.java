package dev.fencing.spring;

import dev.fencing.jdbc.FencedRunner;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Acquires, raises, binds, works and releases. */
final class FencedCalls {

  private final FencedLocks locks;
  private final JdbcFence fence;

  FencedCalls(FencedLocks locks, JdbcFence fence) {
    this.locks = locks;
    this.fence = fence;
  }

  JdbcFence fence() {
    return fence;
  }

  /**
   * Runs {@code work} under holds of all the resources, those aside that this thread has already.
   *
   * @param arguments what the work is given from outside
   * @throws IllegalStateException if one has to be acquired inside a transaction, or an argument
   *     was read before
   */
  <T extends @Nullable Object, X extends Exception> T call(
      Collection<String> resources,
      Duration wait,
      FencedTemplate.Work<T, X> work,
      @Nullable Object... arguments)
      throws X {
    List<String> missing =
        new TreeSet<>(resources)
            .stream().filter(resource -> FencedHold.of(fence, resource) == null).toList();
    if (missing.isEmpty()) {
      return join(resources.iterator().next(), work);
    }
    requireNoTransaction(missing);
    PersistenceContexts.forgetWhatWasRead(arguments);
    return under(missing, wait, work);
  }

  /** Runs work under a hold that another thread has acquired, as that of a leader. */
  static <T extends @Nullable Object, X extends Exception> T enter(
      FencedHold hold, FencedTemplate.Work<T, X> work, @Nullable Object... arguments) throws X {
    if (hold.isHere()) {
      return hold.call(work);
    }
    requireNoTransaction(List.of(hold.resource()));
    PersistenceContexts.forgetWhatWasRead(arguments);
    return hold.begin(work);
  }

  /** Work within the hold that there is; it throws at once when the handle is dead. */
  private <T extends @Nullable Object, X extends Exception> T join(
      String resource, FencedTemplate.Work<T, X> work) throws X {
    FencedHold hold = FencedHold.of(fence, resource);
    if (hold == null) {
      throw new IllegalStateException("this thread has no hold of \"" + resource + "\" any more");
    }
    return hold.call(work);
  }

  private <T extends @Nullable Object, X extends Exception> T under(
      List<String> resources, Duration wait, FencedTemplate.Work<T, X> work) throws X {
    return one(
        resources.get(0),
        wait,
        resources.size() == 1
            ? work
            : hold -> under(resources.subList(1, resources.size()), wait, work));
  }

  private <T extends @Nullable Object, X extends Exception> T one(
      String resource, Duration wait, FencedTemplate.Work<T, X> work) throws X {
    HeldLock.Slot slot = new HeldLock.Slot();
    FencedRunner runner =
        FencedRunner.of(
            fence,
            resource,
            () -> slot.put(locks.acquire(resource, wait)),
            HeldLock::token,
            HeldLock::lockPath);
    try {
      return runner.run(
          handle -> {
            locks.tokenAccepted(resource);
            return slot.get().raised(fence, handle).begin(work);
          });
    } catch (StaleTokenException e) {
      slot.find().flatMap(lock -> lock.restarted(e)).ifPresent(locks::tokensRestarted);
      throw e;
    }
  }

  private static void requireNoTransaction(List<String> missing) {
    if (TransactionSynchronizationManager.isActualTransactionActive()) {
      String names = String.join("\", \"", missing);
      throw new IllegalStateException(
          "\"%s\" is to be locked inside the active transaction %s: the fence would be raised after reads of that transaction, and the lock released before its commit. Put @Fenced(\"%s\") on the method that begins the transaction (several resources go into one annotation), or call this one before it begins or after it ends"
              .formatted(
                  names, TransactionSynchronizationManager.getCurrentTransactionName(), names));
    }
  }
}
