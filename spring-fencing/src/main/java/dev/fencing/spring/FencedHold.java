package dev.fencing.spring;

import dev.fencing.jdbc.FenceMissingException;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The hold that the current thread works under: a lock and the fence that was raised for it.
 *
 * <p>A value: it may be handed to other threads, which are under no hold for that. Its token never
 * changes.
 */
public final class FencedHold {

  private static final ThreadLocal<@Nullable Deque<FencedHold>> HERE = new ThreadLocal<>();

  private final JdbcFence fence;
  private final FencedResource resource;
  private final String lockPath;
  private final BooleanSupplier live;

  FencedHold(JdbcFence fence, FencedResource resource, String lockPath, BooleanSupplier live) {
    this.fence = fence;
    this.resource = resource;
    this.lockPath = lockPath;
    this.live = live;
  }

  /**
   * Returns the innermost hold of this thread.
   *
   * @throws IllegalStateException if it works under none
   */
  public static FencedHold current() {
    Deque<FencedHold> here = HERE.get();
    if (here == null) {
      throw new IllegalStateException(
          "this thread works under no hold: call it from a @Fenced method or from within FencedTemplate.execute, on the same thread");
    }
    return here.element();
  }

  /**
   * Returns this thread's hold of one resource, where it works under several.
   *
   * @throws IllegalStateException if it works under none of that name
   */
  public static FencedHold current(String resource) {
    Deque<FencedHold> here = HERE.get();
    if (here != null) {
      for (FencedHold hold : here) {
        if (hold.resource().equals(resource)) {
          return hold;
        }
      }
    }
    throw new IllegalStateException(
        "this thread works under no hold of \"%s\", only under %s: name it in @Fenced"
            .formatted(resource, here == null ? "none at all" : here));
  }

  /** Returns this thread's hold of a resource, or null. */
  static @Nullable FencedHold of(JdbcFence fence, String resource) {
    Deque<FencedHold> here = HERE.get();
    if (here != null) {
      for (FencedHold hold : here) {
        if (hold.fence == fence && hold.resource().equals(resource)) {
          return hold;
        }
      }
    }
    return null;
  }

  /** Whether the current thread works under this hold. */
  boolean isHere() {
    Deque<FencedHold> here = HERE.get();
    return here != null && here.contains(this);
  }

  /** The name of the fenced resource. */
  public String resource() {
    return resource.resource();
  }

  /** The fencing token, greater than 0, for services that check it. */
  public long token() {
    return resource.token();
  }

  /** The path of the lock. */
  public String lockPath() {
    return lockPath;
  }

  /**
   * Whether this process believes that the lock is held and the fence is at this hold; does no I/O.
   * False is final. True is a belief: ask it to stop long work early, and let the fence be right.
   */
  public boolean isLive() {
    return resource.isUsable() && live.getAsBoolean();
  }

  /** Runs {@code work} as {@link #call} does, where the thread has not worked under this yet. */
  <T extends @Nullable Object, X extends Exception> T begin(FencedTemplate.Work<T, X> work)
      throws X {
    try {
      return call(work);
    } catch (RuntimeException e) {
      throw refusalBehind(e);
    }
  }

  /**
   * Returns why the database refuses this hold, if that is behind a failure which does not say so:
   * a transaction that the server has ended while its holder was frozen, a rollback after a refusal
   * that the work has swallowed. Otherwise the failure.
   */
  private RuntimeException refusalBehind(RuntimeException failure) {
    if (isLive() || !Unwrapped.isOfTheDatabase(failure) || Unwrapped.within(failure) != null) {
      return failure;
    }
    try {
      resource.inTransaction(connection -> 0);
    } catch (StaleTokenException | FenceMissingException refused) {
      refused.addSuppressed(failure);
      return refused;
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  /** Runs {@code work} with this hold bound to the thread, for the fenced DataSource as well. */
  <T extends @Nullable Object, X extends Exception> T call(FencedTemplate.Work<T, X> work)
      throws X {
    return resource.call(
        bound -> {
          Deque<FencedHold> here = HERE.get();
          if (here == null) {
            here = new ArrayDeque<>();
            HERE.set(here);
          }
          here.push(this);
          try {
            return work.run(this);
          } finally {
            here.pop();
            if (here.isEmpty()) {
              HERE.remove(); // Leaves nothing behind on a pooled thread.
            }
          }
        });
  }

  /** Returns the resource and the token, for logs. */
  @Override
  public String toString() {
    return resource.toString();
  }
}
