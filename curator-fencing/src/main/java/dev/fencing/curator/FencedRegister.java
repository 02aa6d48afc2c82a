package dev.fencing.curator;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The highest-token check in memory, for a service that is not a database: it remembers the highest
 * token it has accepted for each lock and refuses what an overtaken holder still sends.
 *
 * <p>A holder of the lock sends its {@link FencingToken} with every request, and the service does
 * what the request asks for in {@link #call}:
 *
 * <pre>{@code
 * FencingToken token = FencingToken.parse(request.header("Fencing-Token"));
 * register.call("/locks/printer", token, () -> printer.print(request.body()));
 * }</pre>
 *
 * <p>Work that has nothing to return returns null.
 *
 * <p>One register guards any number of locks. Which one guards what a request writes is the
 * service's own knowledge and is passed as {@code lockPath}; a token of another lock is refused as
 * an illegal argument, since tokens of two locks cannot be compared.
 *
 * <p>There are two policies:
 *
 * <ul>
 *   <li>{@link #manyWritesPerToken()} accepts a token that is not lower than the highest one: a
 *       holder may send as many requests as it likes. What a new holder computes from, it reads
 *       from the service with its token too, by {@code call}, or it presents the token by {@link
 *       #require} before its first read. Otherwise a late write of its predecessor still lands
 *       after that read, and one of the two is lost.
 *   <li>{@link #oneWritePerToken()} accepts a token that is higher than the highest one: one
 *       request for each acquisition, and a request that is delivered twice is done once. It is for
 *       writes that depend on nothing read under the lock, since a read would use the token up.
 * </ul>
 *
 * <p>Its limits:
 *
 * <ul>
 *   <li><b>It is in memory.</b> After a restart it accepts the first token of each lock, whatever
 *       it is, a stale one too. Where that matters, write the token down together with what the
 *       work writes and {@link #restore} it before the service takes requests.
 *   <li><b>It is in one process.</b> Two instances of a service that write the same thing need a
 *       store that checks the token for both.
 *   <li><b>It grows</b> by one small entry for each lock path that was presented and drops none by
 *       itself: a forgotten token would let a stale write pass. The paths are those that the
 *       service passes; a request alone cannot add one. {@link #forget} drops one, when what it
 *       guarded is gone, and many things can share a lock path.
 *   <li>It refuses every token of an ensemble that was rebuilt from nothing and counts from near
 *       zero again, until it is told to {@link #forget}.
 * </ul>
 *
 * <p>Thread-safe. Requests under one lock path take turns, in the order in which they came; a
 * request with a stale token does not wait. Requests under different lock paths do not meet. Work
 * that needs a second lock path inside the first has to take the two in the same order everywhere,
 * as with any locks.
 */
public final class FencedRegister {

  /**
   * What a request asks for.
   *
   * @param <T> what it returns
   * @param <X> what it throws
   */
  @FunctionalInterface
  public interface Work<T extends @Nullable Object, X extends Exception> {
    /** Does it. */
    T run() throws X;
  }

  /** What is known under one lock path. */
  private static final class Guard {
    /** Fair, so that a new holder does not starve behind a stream of requests of the old one. */
    final ReentrantLock turn = new ReentrantLock(true);

    /** 0 before the first; never falls; written in turn only. */
    volatile long highest;

    /** No longer in the map; used in turn only. */
    boolean forgotten;
  }

  private final boolean repeatable;
  private final ConcurrentMap<String, Guard> guards = new ConcurrentHashMap<>();

  private FencedRegister(boolean repeatable) {
    this.repeatable = repeatable;
  }

  /** Makes an empty register that accepts a token if {@code highest <= token}. */
  public static FencedRegister manyWritesPerToken() {
    return new FencedRegister(true);
  }

  /** Makes an empty register that accepts a token if {@code highest < token}, so each one once. */
  public static FencedRegister oneWritePerToken() {
    return new FencedRegister(false);
  }

  /**
   * Checks the token and does the work, as one step: no other request under {@code lockPath} is
   * checked until the work has ended. So a write that passed the check cannot land after a write of
   * a newer holder.
   *
   * <p>Blocks while other work under the lock path runs, as long as that takes, and for the work;
   * give the work a bound of its own. It must have landed, or failed for good, when {@code work}
   * returns: what it leaves to another thread is not guarded. Within {@code work} the same thread
   * may call this register again, for the same lock path with the same token; not under {@link
   * #oneWritePerToken()}, for which that is the second time.
   *
   * @param lockPath the path of the lock that guards what the work writes
   * @param token the token that came with the request
   * @param work what to do
   * @return what {@code work} returned
   * @throws X what {@code work} threw. The token stays accepted: older ones are refused from now
   *     on, and under {@link #oneWritePerToken()} this one too, since part of the work may be done
   * @throws StaleFencingTokenException if the token is refused; {@code work} was not run
   * @throws IllegalArgumentException if {@code token} is one of another lock; nothing was done
   * @throws IllegalStateException if called from within work under the same lock path with a higher
   *     token; nothing was done
   * @throws InterruptedException if the thread is interrupted while it waits; nothing was done
   */
  public <T extends @Nullable Object, X extends Exception> T call(
      String lockPath, FencingToken token, Work<T, X> work) throws X, InterruptedException {
    Objects.requireNonNull(work, "work");
    Guard guard = enter(lockPath, token);
    try {
      return work.run();
    } finally {
      guard.turn.unlock();
    }
  }

  /**
   * Checks the token and remembers it: from now on every older one is refused, and no work of an
   * older one is still running. That is what a new holder needs before its first read.
   *
   * <p>A write behind it is not guarded: a newer holder may come in between. Write in {@link
   * #call}. Blocks while work under the lock path runs.
   *
   * @param lockPath the path of the lock that guards what is read
   * @param token the token that came with the request
   * @throws StaleFencingTokenException if the token is refused; the register is unchanged
   * @throws IllegalArgumentException if {@code token} is one of another lock; nothing was done
   * @throws IllegalStateException if called from within work under the same lock path with a higher
   *     token; nothing was done
   * @throws InterruptedException if the thread is interrupted while it waits; nothing was done
   */
  public void require(String lockPath, FencingToken token) throws InterruptedException {
    enter(lockPath, token).turn.unlock();
  }

  /**
   * Does what {@link #require} does, and returns whether the token was accepted instead of throwing
   * {@link StaleFencingTokenException}.
   *
   * @throws IllegalArgumentException as {@code require}
   * @throws IllegalStateException as {@code require}
   * @throws InterruptedException as {@code require}
   */
  public boolean offer(String lockPath, FencingToken token) throws InterruptedException {
    try {
      require(lockPath, token);
      return true;
    } catch (StaleFencingTokenException stale) {
      return false;
    }
  }

  /**
   * Returns the highest token that was accepted or restored, empty if there is none. Does not
   * block; the work that came with the token may still run.
   */
  public Optional<FencingToken> highest(String lockPath) {
    Guard guard = guards.get(lockPath);
    long highest = guard == null ? 0 : guard.highest;
    return highest == 0 ? Optional.empty() : Optional.of(new FencingToken(lockPath, highest));
  }

  /**
   * Remembers a token that was accepted before, by a process that has ended. Keeps a higher one
   * that it knows already. Under {@link #oneWritePerToken()} the restored token is used up.
   *
   * <p>Meant for the start of the service; blocks while work under the lock path runs.
   */
  public void restore(FencingToken token) {
    while (true) {
      Guard guard = guard(token.lockPath());
      guard.turn.lock();
      try {
        if (!guard.forgotten) {
          guard.highest = Math.max(guard.highest, token.token());
          return;
        }
      } finally {
        guard.turn.unlock();
      }
    }
  }

  /**
   * Drops what is known under a lock path, if {@code highest} is still the highest token there. The
   * next token is then accepted <em>whatever it is</em>. So call it only when what the lock guarded
   * is gone, or when no request with an older token can be under way any more.
   *
   * <p>Blocks while work under the lock path runs.
   *
   * @return whether it was dropped; {@code false} if another token is the highest, or none
   * @throws IllegalStateException if called from within work under the same lock path; nothing was
   *     done
   */
  public boolean forget(FencingToken highest) {
    Guard guard = guards.get(highest.lockPath());
    if (guard == null) {
      return false;
    }
    if (guard.turn.isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "%s is not forgotten while work under its lock path runs; call forget() behind it"
              .formatted(highest));
    }
    guard.turn.lock();
    try {
      if (guard.forgotten || guard.highest != highest.token()) {
        return false;
      }
      guard.forgotten = true;
      guards.remove(highest.lockPath(), guard);
      return true;
    } finally {
      guard.turn.unlock();
    }
  }

  /** Accepts the token and returns with the turn taken, or throws without it. */
  private Guard enter(String lockPath, FencingToken token) throws InterruptedException {
    if (!token.lockPath().equals(lockPath)) {
      throw new IllegalArgumentException(
          ("the token %s is one of another lock than %s, which guards what is asked for; tokens of"
                  + " two locks cannot be compared. Send the token of the right lock")
              .formatted(token, lockPath));
    }
    while (true) {
      Guard guard = guard(lockPath);
      requireFresh(token, guard.highest); // It only rises: a stale token need not wait.
      guard.turn.lockInterruptibly();
      boolean entered = false;
      try {
        if (!guard.forgotten) {
          accept(token, guard);
          entered = true;
          return guard;
        }
      } finally {
        if (!entered) {
          guard.turn.unlock();
        }
      }
    }
  }

  private void accept(FencingToken token, Guard guard) {
    requireFresh(token, guard.highest);
    if (guard.turn.getHoldCount() > 1 && token.token() > guard.highest) {
      throw new IllegalStateException(
          "the token %s came within work that token %d does under the same lock; that work would"
                  .formatted(token, guard.highest)
              + " go on behind it. Present a newer token when the work has ended");
    }
    guard.highest = token.token();
  }

  private void requireFresh(FencingToken token, long highest) {
    if (token.token() < highest || (token.token() == highest && !repeatable)) {
      throw new StaleFencingTokenException(token, highest);
    }
  }

  private Guard guard(String lockPath) {
    return guards.computeIfAbsent(lockPath, path -> new Guard());
  }
}
