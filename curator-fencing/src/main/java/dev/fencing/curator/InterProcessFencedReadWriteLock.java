package dev.fencing.curator;

import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.jspecify.annotations.Nullable;

/**
 * A read/write lock across processes whose write grants come with a fencing token.
 *
 * <p>It has the contract of Curator's {@code InterProcessReadWriteLock}, with the same names and
 * data of the lock nodes: both exclude each other on one path, so a rolling switch is possible. It
 * is not a subclass, since that one's write lock has no room for a token: change the declared type.
 * Many may read at a time, or one write. Everybody is served in the order of the lock nodes: a
 * reader waits for the writers in front of it, a writer for everybody in front of it.
 *
 * <ul>
 *   <li>Both locks are re-entrant, by thread.
 *   <li>The thread that holds the write lock gets the read lock at once, and so can
 *       <em>downgrade</em>: acquire the write lock, acquire the read lock, release the write lock.
 *       No writer comes in between.
 *   <li>There is no upgrade. While a thread holds only the read lock, a timed acquire of the write
 *       lock waits for nothing but itself and ends without a grant, as in Curator; an acquire
 *       without a bound throws {@link IllegalStateException} instead of waiting for ever.
 *   <li>A <em>write</em> grant gives a token, higher than that of every write grant before it. It
 *       does not change while the thread reads through it. A <em>read</em> grant gives none: what
 *       readers may see is no matter of order among them, and a reader that is frozen past its
 *       session writes nothing. Whoever writes, acquires the write lock.
 * </ul>
 *
 * <p>A lost hold is treated as {@link InterProcessFencedMutex} does, for both locks: while the
 * calling thread has one that is known to be lost, to acquire by thread throws {@link
 * LeaseLostException}, and {@code release()} cleans up and does not throw. A write hold and the
 * read hold that was acquired through it are of one ZooKeeper session and are lost together. A read
 * lock that was asked for when the session of the write hold had ended already, without this
 * process knowing it, is not granted; that throws {@code LeaseLostException} too.
 *
 * <p>Thread-safe. A lease of the write lock ({@link InterProcessFencedMutex#acquireLease()})
 * belongs to no thread: whoever has one and acquires the read lock waits for it to be closed.
 */
public final class InterProcessFencedReadWriteLock {

  private final InterProcessFencedMutex writeLock;
  private final InterProcessMutex readLock;

  /**
   * Makes a read/write lock on a lock path. Does no I/O.
   *
   * @param client a started client; its namespace applies to {@code path}
   * @param path the path to lock, the same in every process
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  public InterProcessFencedReadWriteLock(CuratorFramework client, String path) {
    this(client, path, null);
  }

  /**
   * Makes a read/write lock on a lock path, with data for its lock nodes. Does no I/O.
   *
   * @param client a started client; its namespace applies to {@code path}
   * @param path the path to lock, the same in every process
   * @param lockData what the lock nodes contain, as others may read it; null: Curator's default
   * @throws IllegalArgumentException if {@code path} is not a valid ZooKeeper path
   */
  public InterProcessFencedReadWriteLock(
      CuratorFramework client, String path, byte @Nullable [] lockData) {
    byte[] copy = lockData == null ? null : lockData.clone();
    Supplier<byte @Nullable []> data = () -> copy;
    ThreadHolds readers = new ThreadHolds();
    ThreadHolds writers = new ThreadHolds();
    this.writeLock =
        new WriteMutex(new LockQueue(client, path, NodeKind.WRITE, data, null), writers, readers);
    this.readLock =
        new ReadMutex(new LockQueue(client, path, NodeKind.READ, data, null), readers, writers);
  }

  /**
   * Returns the exclusive lock, always the same object. Does not block.
   *
   * <p>Where {@link InterProcessFencedMutex} speaks of another holder, a reader is one as well.
   */
  public InterProcessFencedMutex writeLock() {
    return writeLock;
  }

  /**
   * Returns the shared lock, which has no token, always the same object. Does not block.
   *
   * <p>Its {@code acquire} and {@code release} keep what {@link InterProcessFencedMutex} says of
   * its own: the bound of a timed acquire, what is thrown, and what is left in ZooKeeper then. Its
   * {@code LeaseLostException} has the token 0.
   */
  public InterProcessMutex readLock() {
    return readLock;
  }
}
