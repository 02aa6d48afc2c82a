package dev.fencing.spring;

import dev.fencing.curator.FencedLease;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One time of leading: a hold under which several threads may work. */
final class LeaderTerm {

  private final FencedHold hold;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private int working;
  private boolean over;

  private LeaderTerm(FencedHold hold) {
    this.hold = hold;
  }

  /** Raises the fence; a refusal while the lease is held shows that tokens have started again. */
  static LeaderTerm begin(FencedLocks locks, JdbcFence fence, String resource, FencedLease lease) {
    locks.events().acquired(resource, lease.token(), System.nanoTime());
    HeldLock held = new HeldLock(resource, lease, new HoldEvents(List.of()), () -> {});
    try {
      FencedResource handle = fence.raise(resource, lease.token(), lease.lockPath());
      locks.tokenAccepted(resource);
      return new LeaderTerm(held.raised(fence, handle));
    } catch (StaleTokenException e) {
      held.askAfterRefusal();
      held.restarted(e).ifPresent(locks::tokensRestarted);
      throw e;
    }
  }

  Optional<FencedHold> live() {
    return hold.isLive() && !isOver() ? Optional.of(hold) : Optional.empty();
  }

  private boolean isOver() {
    lock.lock();
    try {
      return over;
    } finally {
      lock.unlock();
    }
  }

  /** Leads on the election's thread until it is interrupted, or its work is done. */
  void lead(FencedTemplate.@Nullable Work<?, ?> work) throws Exception {
    if (work != null) {
      hold.call(work::run);
    } else {
      new CountDownLatch(1).await();
    }
  }

  /** Lets no more work begin. */
  void refuseWork() {
    lock.lock();
    try {
      over = true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the work on other threads, whose transactions come before the release. */
  void end() {
    refuseWork();
    lock.lock();
    try {
      while (working > 0) {
        idle.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs work under the hold, or nothing when the term is over. */
  <T extends @Nullable Object, X extends Exception> @Nullable T callIfLive(
      FencedTemplate.Work<T, X> what, @Nullable Object... arguments) throws X {
    lock.lock();
    try {
      if (over || !hold.isLive()) {
        return null;
      }
      working++;
    } finally {
      lock.unlock();
    }
    try {
      return FencedCalls.enter(hold, what, arguments);
    } finally {
      lock.lock();
      try {
        working--;
        idle.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
