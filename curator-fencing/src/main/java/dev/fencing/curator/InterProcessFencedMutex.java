package dev.fencing.curator;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.RevocationListener;
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
 * expired, or the client gave it up (Curator then reports LOST), or the client was closed; or this
 * process did not run for longer than the session lasts, as after a long pause. A disconnect within
 * the session, SUSPENDED, loses nothing. While the calling thread has a hold that is known to be
 * lost,
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
 * and then calls {@link #acquireLease()} waits for itself. To acquire on the threads of ZooKeeper
 * and Curator that deliver events, that is in a watcher, a background callback or a connection
 * state listener, fails at once: it would wait for what this same thread has to deliver. {@link
 * #acquireLeaseAsync()} may be called there.
 */
public class InterProcessFencedMutex extends InterProcessMutex {

  private final LockQueue queue;
  private final ThreadHolds threads;
  final ConcurrentMap<Thread, Hold> holds;

  /**
   * Makes a mutex on a lock path. Does no I/O.
   *
   * @param client a started client; its namespace applies to {@code path}
   * @param path the path to lock, the same in every process
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  @SuppressWarnings("this-escape") // The node data is asked for when a lock is, not before.
  public InterProcessFencedMutex(CuratorFramework client, String path) {
    super(client, path);
    this.queue = new LockQueue(client, path, NodeKind.MUTEX, this::getLockNodeBytes, null);
    this.threads = new ThreadHolds();
    this.holds = threads.byThread();
  }

  InterProcessFencedMutex(LockQueue queue, ThreadHolds threads) {
    super(queue.client(), queue.lockPath(), queue.kind().sorter());
    this.queue = queue;
    this.threads = threads;
    this.holds = threads.byThread();
  }

  /** Returns the path of the lock, as it was given to the mutex; not that of a lock node. */
  public String lockPath() {
    return queue.lockPath();
  }

  /**
   * Acquires the mutex, waiting for as long as it takes, or enters it again.
   *
   * @throws LeaseLostException if this thread has a hold that is known to be lost; it still has to
   *     release it
   * @throws TokenOrderException if the sequence counter of the lock path is used up; nothing is
   *     held
   * @throws IllegalStateException if the client is closed, before or while waiting, or if called on
   *     a thread of ZooKeeper's or Curator's that delivers events
   * @throws Exception what Curator throws when ZooKeeper cannot be reached or the thread is
   *     interrupted; nothing is held, the interrupt status is set, and a node that was created is
   *     deleted, in the background if need be
   */
  @Override
  public void acquire() throws Exception {
    acquire(-1, null);
  }

  /**
   * Acquires the mutex within a time, or enters it again.
   *
   * <p>The time bounds the whole call, as said at {@link #acquireAndGetToken(Duration)}.
   *
   * @param time the longest wait; zero or less: do not wait for another holder
   * @param unit its unit, or null, as in {@code InterProcessMutex}, to wait for as long as it takes
   * @return whether the mutex was acquired
   * @throws LeaseLostException as {@link #acquire()}
   * @throws TokenOrderException as {@link #acquire()}
   * @throws Exception as {@link #acquireAndGetToken(Duration)}
   */
  @Override
  public boolean acquire(long time, @Nullable TimeUnit unit) throws Exception {
    return threads.acquire(queue, time, unit);
  }

  /**
   * Releases the mutex once, as {@code InterProcessMutex} does, but throws nothing when the hold
   * was lost before.
   *
   * <p>The last release of a thread blocks until the node is deleted or Curator's retries are
   * exhausted; that of a lost hold, whose node is deleted in the background, returns at once. It
   * deletes the node of this hold and no other.
   *
   * @throws IllegalMonitorStateException if the calling thread has no hold
   * @throws Exception what Curator throws when the delete of a hold that is not lost did not get
   *     through, or the thread is interrupted, which it stays. The mutex is not held any more, and
   *     the delete goes on in the background; until then it may be called again, which tries once
   *     more
   */
  @Override
  public void release() throws Exception {
    threads.release(queue);
  }

  @Override
  public void makeRevocable(RevocationListener<InterProcessMutex> listener, Executor executor) {
    threads.onRevocation(() -> executor.execute(() -> listener.revocationRequested(this)));
  }

  @Override
  public void makeRevocable(RevocationListener<InterProcessMutex> listener) {
    makeRevocable(listener, Runnable::run);
  }

  @Override
  public boolean isAcquiredInThisProcess() {
    return threads.isAny();
  }

  @Override
  public boolean isOwnedByCurrentThread() {
    return threads.current() != null;
  }

  @Override
  protected @Nullable String getLockPath() {
    return threads.nodePath();
  }

  /**
   * Acquires the mutex, waiting for as long as it takes, and returns the fencing token.
   *
   * <p>To be balanced by {@link #release()}. Entering again returns the token of the hold there is.
   *
   * @return the token, greater than 0
   * @throws LeaseLostException as {@link #acquire()}
   * @throws IllegalStateException as {@link #acquire()}
   * @throws Exception as {@link #acquire()}
   */
  public long acquireAndGetToken() throws Exception {
    acquire();
    return hold().node().token();
  }

  /**
   * Acquires the mutex within a time and returns the fencing token.
   *
   * <p>{@code wait} bounds the whole call, measured by a clock that nobody can set, with up to one
   * second on top in which answers from ZooKeeper that are on their way may arrive. So it also ends
   * in time when ZooKeeper does not answer, or when Curator's event thread is blocked.
   *
   * @param wait the longest wait. Zero or less: do not wait for another holder. More than 146
   *     years: 146 years
   * @return the token, or empty if the lock is busy for that long; no node is left then, or it is
   *     deleted as soon as ZooKeeper answers
   * @throws NullPointerException if {@code wait} is null
   * @throws LeaseLostException as {@link #acquire()}
   * @throws TokenOrderException as {@link #acquire()}
   * @throws org.apache.zookeeper.KeeperException.ConnectionLossException if ZooKeeper did not
   *     answer in time, so that it is not known whether the lock is free; nothing is held, and a
   *     node that was created is deleted as soon as ZooKeeper answers
   * @throws Exception as {@link #acquire()}
   */
  public OptionalLong acquireAndGetToken(Duration wait) throws Exception {
    return acquire(Deadline.in(wait).bound(), TimeUnit.NANOSECONDS)
        ? OptionalLong.of(hold().node().token())
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
    LockNode node = hold().node();
    node.requireNotLost();
    return node.token();
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
   * @throws Exception as {@link #acquire()}
   */
  public FencedLease acquireLease() throws Exception {
    return new FencedLease(
        Objects.requireNonNull(
            queue.enter(Deadline.none(), null), "only a bounded wait ends without a grant"));
  }

  /**
   * Acquires the lock within a time as a lease, which is not bound to this thread.
   *
   * @param wait the longest wait, with the same meaning as in {@link #acquireAndGetToken(Duration)}
   * @return a live lease, to be closed, or empty if the lock is busy for that long; no node is left
   *     then
   * @throws NullPointerException if {@code wait} is null
   * @throws TokenOrderException if the sequence counter of the lock path is used up; nothing is
   *     held
   * @throws Exception as {@link #acquireAndGetToken(Duration)}
   */
  public Optional<FencedLease> acquireLease(Duration wait) throws Exception {
    return Optional.ofNullable(queue.enter(Deadline.in(wait), null)).map(FencedLease::new);
  }

  /**
   * Asks for the lock as a lease and does not wait for it. Does not block.
   *
   * <p>Not re-entrant: every request is a contender of its own. It may be called on any thread,
   * also on Curator's event thread. To give up, cancel this very future, not one derived from it,
   * or complete it in any other way, for example by {@code orTimeout}: the lock node of the request
   * is then deleted, and a grant that arrives at the same moment is released at once. A future that
   * is forgotten gets its lease all the same, and holds the lock until the session ends.
   *
   * @return completes on one of the library's 256 threads with a live lease, to be closed;
   *     exceptionally with what {@link #acquireLease()} throws, and then no node is left
   */
  public CompletableFuture<FencedLease> acquireLeaseAsync() {
    return LeaseRequest.send(queue);
  }

  private Hold hold() {
    Hold hold = threads.current();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "this thread does not hold the lock %s, so it has no token: call getToken() on the thread"
                  .formatted(queue.lockPath())
              + " that acquired it, or acquire a lease and hand that over");
    }
    return hold;
  }
}
