package dev.fencing.spring;

import dev.fencing.curator.FencedLeaderSelector;
import dev.fencing.curator.FencedLease;
import dev.fencing.jdbc.JdbcFence;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A candidate for the leadership of a resource, as a bean: stands for election while the
 * application runs, and has the fence raised for every time of leading.
 *
 * <p>While it leads, methods with {@code @Fenced(value = …, leader = true)} run under its hold, on
 * any thread and side by side; in all other processes they are left out. Work that is given to it
 * runs on a thread of its own, from the moment it leads. When such a method was refused or met an
 * unknown outcome, it steps down and stands again, with a new token.
 *
 * <p>Starts after the beans that it needs and before a web server; stops after schedulers, web
 * server and executors: no new work, then the work and its transactions end, then the lock is
 * released and the election left. Curator and the pool are closed after that. Thread-safe.
 */
public final class FencedLeader implements SmartLifecycle {

  /** Stops after web servers (Boot: from 2,048 below the maximum on) and starts before them. */
  public static final int PHASE = Integer.MAX_VALUE - 4096;

  /** How long a stop waits for the work to end: 20 s. */
  public static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

  private final FencedLocks locks;
  private final JdbcFence fence;
  private final String resource;
  private final FencedTemplate.@Nullable Work<?, ?> work;
  private final ReentrantLock lifecycle = new ReentrantLock();
  private volatile @Nullable FencedLeaderSelector selector;
  private volatile @Nullable LeaderTerm term;

  /**
   * Makes a candidate under whom {@code @Fenced(leader = true)} methods run. Does no I/O.
   *
   * @param locks where the election is: at the lock path of the resource
   * @param fence raised for every time of leading
   * @param resource a name under the lock root
   * @throws IllegalStateException if there is a leader of that resource
   * @throws IllegalArgumentException if it is no name of a resource
   */
  public FencedLeader(FencedLocks locks, JdbcFence fence, String resource) {
    this(null, locks, fence, resource);
  }

  /**
   * Makes a candidate that does work of its own while it leads. Does no I/O.
   *
   * @param locks as above
   * @param fence as above
   * @param resource as above
   * @param work runs under the hold from the moment it leads, outside of any transaction, and is
   *     interrupted when that ends; to return is to step down and to queue again at once. It asks
   *     {@code hold.isLive()} and its thread's interrupt status between steps, and works through
   *     fenced methods or a {@link FencedTemplate} of the same resource, which join its hold
   */
  public FencedLeader(
      FencedLocks locks, JdbcFence fence, String resource, FencedTemplate.Work<?, ?> work) {
    this(Objects.requireNonNull(work, "work"), locks, fence, resource);
  }

  @SuppressWarnings("this-escape") // The class is final, and all fields are set.
  private FencedLeader(
      FencedTemplate.@Nullable Work<?, ?> work,
      FencedLocks locks,
      JdbcFence fence,
      String resource) {
    this.locks = Objects.requireNonNull(locks, "locks");
    this.fence = Objects.requireNonNull(fence, "fence");
    this.resource = Objects.requireNonNull(resource, "resource");
    this.work = work;
    locks.lockPath(resource);
    locks.claim(this);
  }

  /** The name of the resource. */
  public String resource() {
    return resource;
  }

  /** The path of the election. */
  public String lockPath() {
    return locks.lockPath(resource);
  }

  /** Returns the hold of this process while it leads, as far as it knows; empty otherwise. */
  public Optional<FencedHold> hold() {
    LeaderTerm current = term;
    return current == null ? Optional.empty() : current.live();
  }

  /** Returns what the election is doing, for a health check; empty while it is stopped. */
  public Optional<FencedLeaderSelector.State> state() {
    return Optional.ofNullable(selector).map(FencedLeaderSelector::state);
  }

  /** Runs work under the leader's hold, if this process leads; null otherwise. */
  <T extends @Nullable Object, X extends Exception> @Nullable T callIfLeading(
      FencedTemplate.Work<T, X> what, @Nullable Object... arguments) throws X {
    LeaderTerm current = term;
    if (current == null) {
      return null;
    }
    try {
      return current.callIfLive(what, arguments);
    } finally {
      FencedLeaderSelector running = selector;
      // A refusal or an unknown outcome ends the handle for good, and the lock would stay held.
      if (current.live().isEmpty() && term == current && running != null) {
        running.interruptLeadership();
      }
    }
  }

  private void lead(FencedLease lease) throws Exception {
    long since = System.nanoTime();
    try {
      LeaderTerm mine = LeaderTerm.begin(locks, fence, resource, lease);
      term = mine;
      try {
        mine.lead(work);
      } finally {
        term = null;
        mine.end();
      }
    } finally {
      locks.events().released(resource, lease.token(), since, !lease.isLive());
    }
  }

  @Override
  public void start() {
    lifecycle.lock();
    try {
      if (selector == null) {
        FencedLeaderSelector made =
            new FencedLeaderSelector(locks.client(), lockPath(), this::lead);
        made.start();
        selector = made;
      }
    } finally {
      lifecycle.unlock();
    }
  }

  /** Leaves the election; waits up to {@link #STOP_TIMEOUT} for the work to end. */
  @Override
  public void stop() {
    lifecycle.lock();
    try {
      FencedLeaderSelector running = selector;
      if (running != null) {
        LeaderTerm current = term;
        if (current != null) {
          current.refuseWork();
        }
        running.close(STOP_TIMEOUT);
        selector = null;
      }
    } finally {
      lifecycle.unlock();
    }
  }

  @Override
  public boolean isRunning() {
    return selector != null;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  /** Returns the resource and what the election is doing, for logs. */
  @Override
  public String toString() {
    return "leader of \"%s\", %s"
        .formatted(resource, state().map(Object::toString).orElse("stopped"));
  }
}
