package dev.fencing.curator;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.jspecify.annotations.Nullable;

/**
 * A re-entrant mutex across processes that gives a fencing token with every grant.
 *
 * <p>A drop-in for {@link InterProcessMutex}: same constructor, same re-entrant, fair, per-thread
 * contract, same names and data of the lock nodes. Both exclude each other on one path, so a
 * rolling switch is possible; only the holders that use this class have a token. What the token is,
 * and what it is not, is said in the {@linkplain dev.fencing.curator package description}.
 *
 * <p>It differs from {@code InterProcessMutex} where that one is not honest about a lost lock. A
 * hold is <em>known to be lost</em> when the ZooKeeper session that owns its node has ended: it
 * expired, or the client gave it up (Curator then reports LOST), or the client was closed. A
 * disconnect within the session, SUSPENDED, loses nothing. While the calling thread has a hold that
 * is known to be lost,
 *
 * <ul>
 *   <li>every way to acquire by thread, and {@link #getToken()}, throws {@link LeaseLostException}
 *       instead of succeeding at once without a lock;
 *   <li>{@link #release()} cleans up and does not throw, so that {@code finally} hides nothing;
 *       after as many releases as there were acquires the thread can acquire again, with a higher
 *       token;
 *   <li>{@code isAcquiredInThisProcess()} and {@code isOwnedByCurrentThread()} stay what they are
 *       in {@code InterProcessMutex}: a local count of acquires and releases, no statement about
 *       the lock.
 * </ul>
 *
 * <p>If the lock path has used up ZooKeeper's sequence counter (2,147,483,647 lock nodes under one
 * parent), every way to acquire throws {@link TokenOrderException} and leaves no node: lock order
 * would no longer be token order. Stop the contenders and delete the empty lock path, which starts
 * the counter anew; tokens go on rising.
 *
 * <p>Thread-safe. A lease and a hold by thread are two contenders: a thread that holds the mutex
 * and then calls {@link #acquireLease()} waits for itself. Do not acquire on Curator's event
 * thread, that is in a watcher, a callback or a listener that runs on it: it would wait for an
 * event that this same thread has to deliver.
 */
public class InterProcessFencedMutex extends InterProcessMutex {

  private static final System.Logger LOG =
      System.getLogger(InterProcessFencedMutex.class.getName());

  private final CuratorFramework client;
  private final String path;
  final FencedLockDriver driver;
  final ConcurrentMap<Thread, LockNode> holds = new ConcurrentHashMap<>();

  /**
   * Makes a mutex on a lock path. Does no I/O.
   *
   * @param client a started client; its namespace applies to {@code path}
   * @param path the path to lock, the same in every process
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  public InterProcessFencedMutex(CuratorFramework client, String path) {
    this(client, path, new FencedLockDriver(path));
  }

  private InterProcessFencedMutex(CuratorFramework client, String path, FencedLockDriver driver) {
    super(client, path, driver);
    this.client = client;
    this.path = path;
    this.driver = driver;
  }

  /**
   * Acquires the mutex, waiting for as long as it takes, or enters it again.
   *
   * @throws LeaseLostException if this thread has a hold that is known to be lost; it still has to
   *     release it
   * @throws TokenOrderException if the sequence counter of the lock path is used up; nothing is
   *     held
   * @throws IllegalStateException if the client is closed, before or while waiting
   * @throws Exception what Curator throws when ZooKeeper cannot be reached or the thread is
   *     interrupted; nothing is held, the interrupt status is set, and a node that was created is
   *     deleted, in the background if need be
   */
  @Override
  public void acquire() throws Exception {
    requireNoLostHold();
    boolean granted = false;
    try {
      super.acquire();
      granted = true;
    } finally {
      settle(granted);
    }
  }

  /**
   * Acquires the mutex within a time, or enters it again.
   *
   * <p>The time bounds the wait in the queue only, as it does in {@code InterProcessMutex}; see
   * {@link #acquireAndGetToken(Duration)}.
   *
   * @return whether the mutex was acquired; if not, no node is left
   * @throws LeaseLostException as {@link #acquire()}
   * @throws TokenOrderException as {@link #acquire()}
   * @throws Exception as {@link #acquire()}
   */
  @Override
  public boolean acquire(long time, @Nullable TimeUnit unit) throws Exception {
    requireNoLostHold();
    boolean granted = false;
    try {
      granted = super.acquire(time, unit);
      return granted;
    } finally {
      settle(granted);
    }
  }

  /**
   * Releases the mutex once, as {@code InterProcessMutex} does, but throws nothing when the hold
   * was lost before.
   *
   * <p>The last release of a thread blocks until the node is deleted or Curator's retries are
   * exhausted, also for a lost hold, whose node the server may still have. It deletes the node of
   * this hold and no other.
   *
   * @throws IllegalMonitorStateException if the calling thread has no hold
   * @throws Exception what Curator throws when the delete of a hold that is not lost did not get
   *     through; the hold is gone locally, and Curator goes on deleting in the background
   */
  @Override
  public void release() throws Exception {
    LockNode hold = holds.get(Thread.currentThread());
    boolean lostBefore = hold != null && hold.isLost();
    try {
      super.release();
    } catch (Exception e) {
      if (hold == null || !hold.isLost()) {
        throw e;
      }
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      LOG.log(
          System.Logger.Level.DEBUG, "The node of a lost hold could not be deleted: " + hold, e);
    } finally {
      if (!super.isOwnedByCurrentThread()) {
        holds.remove(Thread.currentThread());
      }
    }
    if (lostBefore && !super.isOwnedByCurrentThread()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The lock was lost before it was released, its session had ended: {0}",
          hold);
    }
  }

  /**
   * Acquires the mutex, waiting for as long as it takes, and returns the fencing token.
   *
   * <p>To be balanced by {@link #release()}. Entering again returns the token of the hold there is.
   *
   * @return the token, greater than 0
   * @throws LeaseLostException as {@link #acquire()}
   * @throws TokenOrderException as {@link #acquire()}
   * @throws Exception as {@link #acquire()}
   */
  public long acquireAndGetToken() throws Exception {
    acquire();
    return hold().token();
  }

  /**
   * Acquires the mutex within a time and returns the fencing token.
   *
   * <p>{@code wait} bounds the time in the queue of contenders. It does <em>not</em> bound the
   * requests to ZooKeeper (create, list, delete): each fails only when the client notices that the
   * server is away, for a silent one after two thirds of the session timeout, and Curator then
   * repeats it by the client's retry policy, waiting for the connection timeout. While ZooKeeper is
   * away this method therefore throws late. Measured for a wait of 1 s, a session of 10 s, a
   * connection timeout of 3 s and {@code ExponentialBackoffRetry(500, 3)}: 11 s when connections
   * are refused, 39 s when nothing answers; with {@code RetryOneTime(50)} and a connection timeout
   * of 0.5 s: 1 s and 17 s. Curator also measures the time in the queue by the wall clock.
   *
   * @param wait the longest time in the queue, in whole milliseconds, rounded up. Zero or less: do
   *     not wait. More than 292 years: 292 years
   * @return the token, or empty if the lock is busy for that long; no node is left then
   * @throws NullPointerException if {@code wait} is null
   * @throws LeaseLostException as {@link #acquire()}
   * @throws TokenOrderException as {@link #acquire()}
   * @throws Exception as {@link #acquire()}
   */
  public OptionalLong acquireAndGetToken(Duration wait) throws Exception {
    return acquire(QueueWait.millis(wait), TimeUnit.MILLISECONDS)
        ? OptionalLong.of(hold().token())
        : OptionalLong.empty();
  }

  /**
   * Returns the fencing token of the calling thread's hold. Does not block and does no I/O.
   *
   * <p>It is the token of the acquisition, never one that was read afterwards: a thread that has
   * lost the lock without knowing it yet gets its own, stale token, and the fenced resource refuses
   * it.
   *
   * @return the token, greater than 0, the same for as long as the hold lasts
   * @throws IllegalMonitorStateException if the calling thread has no hold
   * @throws LeaseLostException if the hold is known to be lost
   */
  public long getToken() {
    LockNode hold = hold();
    hold.requireNotLost();
    return hold.token();
  }

  /**
   * Acquires the lock as a lease, which is not bound to this thread, waiting for as long as it
   * takes.
   *
   * <p>Not re-entrant: every lease is a contender of its own. It has the node data of {@link
   * #getLockNodeBytes()}; revocation ({@code makeRevocable}) does not apply to it.
   *
   * @return a live lease, to be closed
   * @throws TokenOrderException if the sequence counter of the lock path is used up; nothing is
   *     held
   * @throws IllegalStateException if the client is closed, before or while waiting
   * @throws Exception as {@link #acquire()}
   */
  public FencedLease acquireLease() throws Exception {
    return Objects.requireNonNull(
        newQueue().lease(null), "only a bounded wait ends without a lease");
  }

  /**
   * Acquires the lock within a time as a lease, which is not bound to this thread.
   *
   * @param wait the longest time in the queue, with the same meaning and the same limits as in
   *     {@link #acquireAndGetToken(Duration)}
   * @return a live lease, to be closed, or empty if the lock is busy for that long; no node is left
   *     then
   * @throws NullPointerException if {@code wait} is null
   * @throws TokenOrderException if the sequence counter of the lock path is used up; nothing is
   *     held
   * @throws IllegalStateException if the client is closed, before or while waiting
   * @throws Exception as {@link #acquire()}
   */
  public Optional<FencedLease> acquireLease(Duration wait) throws Exception {
    return Optional.ofNullable(newQueue().lease(QueueWait.millis(wait)));
  }

  private LeaseQueue newQueue() {
    return new LeaseQueue(client, path, this::getLockNodeBytes);
  }

  private void requireNoLostHold() {
    LockNode hold = holds.get(Thread.currentThread());
    if (hold != null) {
      hold.requireNotLost();
    }
  }

  private void settle(boolean granted) {
    LockNode node = driver.take(); // null on re-entry
    if (granted && node != null) {
      holds.put(Thread.currentThread(), node);
    }
  }

  private LockNode hold() {
    LockNode hold = holds.get(Thread.currentThread());
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "this thread does not hold the lock %s, so it has no token: call getToken() on the thread"
                  .formatted(path)
              + " that acquired it, or acquire a lease and hand that over");
    }
    return hold;
  }
}
