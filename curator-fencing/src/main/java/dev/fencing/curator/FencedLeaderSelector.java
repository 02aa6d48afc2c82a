package dev.fencing.curator;

import static java.lang.System.Logger.Level.WARNING;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.utils.PathUtils;
import org.jspecify.annotations.Nullable;

/**
 * Leader election among processes, with a fencing token for every time of leading.
 *
 * <p>A started selector stands for election until it is closed: it waits for the lock of its path,
 * has the {@linkplain FencedLeaderListener listener} lead under the lease, releases it and queues
 * again, behind those who wait. Candidates lead in the order in which they asked. This selector,
 * {@link InterProcessFencedMutex} and Curator's {@code LeaderSelector} and {@code
 * InterProcessMutex} exclude each other on one path, so a rolling switch is possible; only the
 * leaders that have a token are fenced. Curator's {@code LeaderLatch} does not take part: its nodes
 * have other names, so stop all latches before the switch. It differs from {@code LeaderSelector}
 * in this:
 *
 * <ul>
 *   <li>It always queues again; there is no {@code autoRequeue()} to forget. To lead no more, close
 *       it, which the listener may do too.
 *   <li>Nothing but {@link #close} and a closed client ends it: not an exception or an Error of the
 *       listener, not one from ZooKeeper, not any number of interrupts. After a failure it pauses
 *       for 50 ms, doubled with each further one up to 500 ms, and goes on for ever.
 *   <li>A connection that is lost and found again within the session changes nothing: the same
 *       lease goes on. A lost session, a deleted lock node and a pause of this process longer than
 *       the session end it: the listener is interrupted, the lease is dead for good.
 *   <li>{@link #state()} says what it is doing and how often it has failed.
 * </ul>
 *
 * <p>A candidate that lost the leadership, however that came, and is alone leads again under a new
 * lease: at the latest one second, two ticks of the server and the session timeout after it is
 * connected again and its listener has returned.
 *
 * <p>That a leader is interrupted does not mean that it has stopped: only the fence keeps the late
 * writes of a former leader out. One thread per selector, no lock held while it waits; virtual
 * threads will do. Thread-safe.
 */
public final class FencedLeaderSelector implements AutoCloseable {

  /** What a selector is doing. */
  public enum Phase {
    /** Not started yet. */
    NEW,
    /** Stands for election, and waits for its turn. */
    WAITING,
    /** Stands for election, but ZooKeeper is not connected; goes on by itself. */
    DISCONNECTED,
    /** {@code takeLeadership} is running, under a live lease. */
    LEADING,
    /**
     * {@code takeLeadership} was told to stop, because of a loss, a close or {@link
     * #interruptLeadership()}, and has not returned. For long: it has swallowed the interrupt.
     */
    STEPPING_DOWN,
    /** Pauses after a failure, at most 500 ms; goes on by itself. */
    BACKING_OFF,
    /** Closed, and {@code takeLeadership} is not running. Final. */
    CLOSED,
    /** The election has ended by itself, because the client was closed. Final. */
    FAILED
  }

  /**
   * What a selector was doing at one moment, for a health check.
   *
   * <p>Not well are {@code FAILED}; {@code STEPPING_DOWN} and {@code DISCONNECTED} for long; and,
   * in every phase, several failures in a row.
   *
   * @param phase what it was doing
   * @param inPhase for how long, not negative
   * @param failuresInARow how often it has failed since the last success. A grant is the success
   *     that ends failures to acquire; a {@code takeLeadership} that returns, or has run for 10 s,
   *     ends all
   * @param lastFailure the last failure there was, also when it is over; empty if there was none
   */
  public record State(
      Phase phase, Duration inPhase, int failuresInARow, Optional<Throwable> lastFailure) {}

  private static final System.Logger LOG = System.getLogger(FencedLeaderSelector.class.getName());

  private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

  private final String path;
  private final ThreadFactory threads;
  private final ElectionLoop loop;
  private final AtomicReference<Phase> life = new AtomicReference<>(Phase.NEW);
  private volatile @Nullable Thread thread;

  /**
   * Makes a selector with a daemon thread of its own. Does no I/O.
   *
   * @param client a client, started before the selector; its namespace applies to {@code path}
   * @param path the path of the election, the same in every process
   * @param listener does the leader's work
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  public FencedLeaderSelector(CuratorFramework client, String path, FencedLeaderListener listener) {
    this(client, path, listener, null);
  }

  /**
   * Makes a selector with a daemon thread of its own, for a candidate with a name. Does no I/O.
   *
   * @param client as above
   * @param path as above
   * @param listener as above
   * @param id who this candidate is: the data of its lock node, in UTF-8, as with {@code
   *     LeaderSelector.setId}; null for what the client puts into nodes by default
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  public FencedLeaderSelector(
      CuratorFramework client, String path, FencedLeaderListener listener, @Nullable String id) {
    this(client, path, listener, id, work -> daemon(work, path));
  }

  /**
   * Makes a selector with a thread of one's own making. Does no I/O.
   *
   * @param client as above
   * @param path as above
   * @param listener as above
   * @param id as above
   * @param threads makes the one thread that waits and leads, when the selector is started; it may
   *     be a virtual one
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  public FencedLeaderSelector(
      CuratorFramework client,
      String path,
      FencedLeaderListener listener,
      @Nullable String id,
      ThreadFactory threads) {
    this.path = PathUtils.validatePath(path);
    this.threads = Objects.requireNonNull(threads, "threads");
    byte[] data = id == null ? null : id.getBytes(UTF_8);
    LockQueue queue =
        new LockQueue(
            Objects.requireNonNull(client, "client"), path, NodeKind.MUTEX, () -> data, null);
    this.loop = new ElectionLoop(queue, Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Stands for election from now on. Does not block, and needs no connection.
   *
   * @throws IllegalStateException if it was started or closed before
   */
  public void start() {
    if (!life.compareAndSet(Phase.NEW, Phase.WAITING)) {
      throw new IllegalStateException(
          "the leader selector on %s was %s before: make a new one"
              .formatted(path, life.get() == Phase.CLOSED ? "closed" : "started"));
    }
    try {
      Thread made = Objects.requireNonNull(threads.newThread(loop), "the factory made no thread");
      thread = made;
      loop.enter(Phase.WAITING, null);
      made.start();
    } catch (Throwable e) {
      loop.neverRuns(Phase.FAILED, e);
      throw e;
    }
  }

  /** Returns what the selector is doing. Does not block and does no I/O. */
  public State state() {
    return loop.state();
  }

  /**
   * Returns whether {@code takeLeadership} is running under a live lease, as far as this process
   * knows: see {@link FencedLease#isLive()}. Does not block and does no I/O.
   */
  public boolean hasLeadership() {
    return currentLease().isPresent();
  }

  /**
   * Returns the lease that {@code takeLeadership} is running under, if it is live. Does not block
   * and does no I/O.
   *
   * <p>It is that of the run that is going on, never that of the next one.
   */
  public Optional<FencedLease> currentLease() {
    Term term = loop.term();
    return term == null ? Optional.empty() : Optional.of(term.lease()).filter(FencedLease::isLive);
  }

  /**
   * Has the leader step down: interrupts {@code takeLeadership}. When that returns, the lease is
   * released and the selector queues again, behind those who wait. Does not block.
   *
   * @return whether it was this call that told the run to stop; false if nothing runs, or it was
   *     told before, and it is not interrupted again
   */
  public boolean interruptLeadership() {
    Term term = loop.term();
    return term != null && term.stop();
  }

  /**
   * Closes the selector and waits up to 10 s: as {@link #close(Duration)}, with a WARNING when the
   * listener has not returned by then.
   */
  @Override
  public void close() {
    if (!close(CLOSE_BOUND) && Thread.currentThread() != thread) {
      LOG.log(
          WARNING,
          "The leader selector on {0} is closed, but takeLeadership has not returned or its lease is"
              + " not released: {1}. Its lock is held until that, or until the client is closed",
          path,
          state());
    }
  }

  /**
   * Leaves the election: interrupts {@code takeLeadership}, or gives up the place in the queue, and
   * waits until the listener has returned and ZooKeeper has confirmed the release, if connected.
   *
   * <p>It may be called again, to wait again; the listener is interrupted only once. A listener
   * that has not returned in time keeps its lease until it does, and does not lead again. Called by
   * the listener itself, or by an interrupted thread, which stays so, it does not wait; nor does it
   * interrupt the listener that calls it. On shutdown close the selector first, then what the
   * listener works with, then the client.
   *
   * @param bound the longest wait; zero or less: do not wait
   * @return whether the election has ended and nothing of the listener is running
   * @throws NullPointerException if {@code bound} is null
   */
  public boolean close(Duration bound) {
    Deadline deadline = Deadline.in(bound);
    boolean byListener = Thread.currentThread() == thread;
    loop.close(!byListener);
    if (life.getAndSet(Phase.CLOSED) == Phase.NEW) {
      loop.neverRuns(Phase.CLOSED, null);
    }
    if (byListener) {
      return false;
    }
    try {
      loop.ended().get(Math.max(0, deadline.left()), TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      // The state says what is going on.
    }
    return loop.ended().isDone();
  }

  private static Thread daemon(Runnable work, String path) {
    Thread thread = new Thread(work, "fencing-leader-" + path);
    thread.setDaemon(true);
    return thread;
  }
}
