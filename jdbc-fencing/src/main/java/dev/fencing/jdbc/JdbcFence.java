package dev.fencing.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The fences of one database: for each resource the highest fencing token that was raised.
 *
 * <p>Build it once for a DataSource and keep it. A new holder of a lock calls {@link #raise} with
 * its token and then works through the {@link FencedResource} that it gets; from the moment the
 * raise has returned, no transaction of an older holder can commit. Thread-safe.
 */
public final class JdbcFence {

  /** How long a raise or a renewal may take in all: 15 s. */
  public static final Duration DEFAULT_RAISE_TIMEOUT = Duration.ofSeconds(15);

  /** How long a check may wait for a raise that is in progress: 20 s. */
  public static final Duration DEFAULT_CHECK_TIMEOUT = Duration.ofSeconds(20);

  /** How long a fenced transaction may stand idle between two statements: 10 s. */
  public static final Duration DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT = Duration.ofSeconds(10);

  /** The longest resource name, in code points: 255. */
  public static final int MAX_RESOURCE_LENGTH = 255;

  /** The longest origin, in code points: 1024. */
  public static final int MAX_ORIGIN_LENGTH = 1024;

  private final String holder;
  private final long generation;
  private final DataSource dataSource;
  private final FenceStore store;
  private final FenceCheck check;

  JdbcFence(JdbcFenceBuilder builder) {
    this.holder = builder.holder == null ? Settings.defaultHolder() : builder.holder;
    this.generation = builder.generation;
    this.dataSource = builder.dataSource;
    Dialects dialects = new Dialects(builder.table, builder.idleInTransactionTimeout);
    FenceEvents events = new FenceEvents(builder.listeners);
    this.store =
        new FenceStore(
            builder.dataSource, dialects, builder.raiseTimeout, builder.observed, events);
    this.check = new FenceCheck(builder.dataSource, dialects, builder.checkTimeout, events);
  }

  /**
   * Returns a fence with every setting at its default.
   *
   * @param dataSource gives connections to the primary, never to a replica
   */
  public static JdbcFence of(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * Returns a builder of a fence; asks no database.
   *
   * @param dataSource gives connections to the primary, never to a replica
   */
  public static JdbcFenceBuilder builder(DataSource dataSource) {
    return new JdbcFenceBuilder(dataSource);
  }

  /**
   * Creates the tables of the fence where they are missing, and then does what {@link #checkSchema}
   * does; safe to call from many processes.
   *
   * @throws IllegalStateException if the DataSource gives a connection that has joined an open
   *     transaction, which goes on as it was
   * @throws FenceSchemaException if the database refused the DDL, or a table of that name cannot
   *     hold a fence
   * @throws FencingException if the database failed, or had no two connections to give
   */
  public void createSchema() {
    store.createSchema();
  }

  /**
   * Checks that the tables can hold a fence, and with two connections at a time that a check really
   * keeps a raise waiting: a database that only looks like a known one may not. Call it when the
   * process starts. The first raise looks at the tables, too.
   *
   * @throws IllegalStateException if the DataSource gives a connection that has joined an open
   *     transaction, which goes on as it was
   * @throws FenceSchemaException if a table or a column is missing or of another type, the database
   *     is not a supported one, a raise did not wait, or a proxy loses what the driver prepares
   * @throws FencingException if the database failed, had no two connections to give, or did not
   *     answer within the raise timeout
   */
  public void checkSchema() {
    store.checkSchema();
  }

  /**
   * Raises the fence of a resource to a new holder's token, durably, before that holder reads.
   *
   * <p>One short transaction of its own at READ COMMITTED, committed when this returns. It waits
   * for every open transaction that passed an older check, and no new one gets in front of it.
   * Creates the fence when it is the first raise. Blocks up to the raise timeout in all, plus the
   * wait for a connection and, where the server has fallen silent, 2 s. It is repeated within that
   * bound when it is a deadlock victim or the connection breaks.
   *
   * @param resource what is protected, 1 to {@value #MAX_RESOURCE_LENGTH} code points without NUL
   * @param token the fencing token of the hold, greater than 0
   * @return the handle through which this holder works
   * @throws IllegalArgumentException if the resource name or the token is not as said above
   * @throws IllegalStateException if called inside an {@code inTransaction} of the same resource on
   *     this thread, for which it would wait in vain; a transaction that the caller opened and
   *     {@link FencedResource#check} checked is not seen, and makes it wait until the raise
   *     timeout; also if the DataSource gives a connection that has joined an open transaction
   * @throws StaleTokenException if the fence is at a higher token, this token was raised before, or
   *     the resource is retired
   * @throws FenceBusyException if an open transaction did not end in time; may be tried again
   * @throws FenceSchemaException if the guard table is missing or wrong
   * @throws FencingException if the database failed; the message says whether the raise may be in
   *     the fence, in which case only a new acquisition goes on
   */
  public FencedResource raise(String resource, long token) {
    return raise(resource, token, null);
  }

  /**
   * Raises the fence as {@link #raise(String, long)} does, and says where the token comes from.
   *
   * <p>The first origin that is said stays with the fence for the whole generation. It keeps the
   * tokens of two sources, which have no order, from meeting in one fence.
   *
   * @param resource what is protected
   * @param token the fencing token of the hold
   * @param origin the lock path, or {@code "redis:ledger"}, 1 to {@value #MAX_ORIGIN_LENGTH}
   *     characters without NUL; null says nothing and is accepted beside every origin
   * @return the handle through which this holder works
   * @throws FencingException if the fence has another origin; otherwise as without an origin
   */
  public FencedResource raise(String resource, long token, @Nullable String origin) {
    Settings.requireResource(resource);
    if (token <= 0) {
      throw new IllegalArgumentException(
          "the token for resource \"%s\" must be greater than 0 but is %d; a token is the czxid of a lock node, or another number that rises with every grant"
              .formatted(resource, token));
    }
    Settings.requireOrigin(origin);
    OpenTransactions.refuse(this, resource, "raise");
    FenceRow mine = new FenceRow(generation, token, FenceStore.newRaiseId(), origin, holder);
    store.raise(resource, mine);
    return new FencedResource(this, resource, mine);
  }

  /**
   * Returns a handle for a hold that another process has raised and still has: worker processes may
   * share one hold, which is raised once.
   *
   * <p>Asks the database whether the fence is still at that raise. The lock stays with the process
   * that acquired it; when it releases it, all handles of the hold end with it.
   *
   * @param text what {@link FencedResource#toText} returned there
   * @throws IllegalArgumentException if the text is no such text
   * @throws StaleTokenException if a newer holder has raised the fence, or the handle was renewed
   * @throws FenceMissingException if the fence does not have that raise
   * @throws FencingException if the database failed
   */
  public FencedResource attach(String text) {
    HoldText hold = HoldText.parse(text);
    store.requireCurrent(hold.resource(), hold.raised());
    return new FencedResource(this, hold.resource(), hold.raised());
  }

  /**
   * Runs {@code work} in one transaction that checks the fences of several resources first.
   *
   * <p>The fences are locked in the order of their names, so that two such transactions cannot wait
   * for each other's raises. In all else it is {@link FencedResource#inTransaction} for every one
   * of them: if one is refused, nothing is written.
   *
   * @param handles of this fence, at least one, each of another resource
   * @param work what to do; it must not keep the connection
   * @return what {@code work} returned, after the commit
   * @throws X what {@code work} threw, after the rollback
   * @throws IllegalArgumentException if the handles are not as said above
   * @throws IllegalStateException if this thread has a transaction of one of them open
   * @throws FencingException as {@link FencedResource#inTransaction}; an {@link
   *     UnknownOutcomeException} is the death of all the handles
   */
  public <T extends @Nullable Object, X extends Exception> T inTransaction(
      Collection<FencedResource> handles, TransactionWork<T, X> work) throws X {
    try (FencedTransaction transaction = check.begin(inOrder(handles), null)) {
      T result = work.run(transaction.connection());
      transaction.commit();
      return result;
    }
  }

  private List<FencedResource> inOrder(Collection<FencedResource> handles) {
    TreeMap<String, FencedResource> byName = new TreeMap<>();
    for (FencedResource handle : handles) {
      if (handle.fence() != this) {
        throw new IllegalArgumentException(handle + " was raised by another JdbcFence");
      }
      if (byName.put(handle.resource(), handle) != null) {
        throw new IllegalArgumentException(
            "two handles of resource \"" + handle.resource() + "\" in one transaction");
      }
      handle.requireUsable();
      OpenTransactions.refuse(this, handle.resource(), "a second transaction");
    }
    if (byName.isEmpty()) {
      throw new IllegalArgumentException("a transaction on no resource would check nothing");
    }
    return List.copyOf(byName.values());
  }

  /**
   * Returns what the fence of a resource holds now, empty if it was never raised. Without a lock;
   * for people and dashboards.
   *
   * @throws IllegalArgumentException if the resource name is not as {@link #raise} wants it
   * @throws FencingException if the database failed
   */
  public Optional<FenceState> current(String resource) {
    return store.states(Settings.requireResource(resource)).stream().findFirst();
  }

  /**
   * Returns what all fences hold now, in the order of their names.
   *
   * @throws FencingException if the database failed
   */
  public List<FenceState> all() {
    return store.states(null);
  }

  /**
   * Closes a resource for good: its fence refuses every token from now on, and its row stays.
   *
   * <p>That is the only safe way to be rid of a fence. A row that is deleted is created again by
   * the next raise, which may be one of a holder from before. Waits for open transactions as a
   * raise does; to retire what is retired changes nothing. It cannot be taken back; a new resource
   * needs a new name.
   *
   * @throws IllegalArgumentException if the resource name is not as {@link #raise} wants it
   * @throws IllegalStateException if called inside an {@code inTransaction} of it on this thread
   * @throws FenceBusyException if an open transaction did not end in time; may be tried again
   * @throws FencingException if the database failed; may be called again
   */
  public void retire(String resource) {
    Settings.requireResource(resource);
    OpenTransactions.refuse(this, resource, "the retirement");
    store.retire(resource, FenceRow.tombstone(FenceStore.newRaiseId(), holder));
  }

  /**
   * Forgets the operations that were applied under tokens far below the one the fence is at, so
   * that their table does not grow for ever.
   *
   * <p>The distance is one of tokens and never of time: a process that was frozen for a day finds
   * the clock advanced, but a retry that is still under way cannot be older than the tokens that
   * were granted since. A czxid rises with every write to the ZooKeeper ensemble, not by 1 a grant.
   * Forgotten too early, an operation whose outcome was unknown is <em>applied a second time</em>
   * by its retry; forgotten late, it costs a row. Tokens of an earlier generation count as the
   * whole token of this one away.
   *
   * @param distance how far below the fence's token an operation must be, 0 or greater
   * @return how many were forgotten
   * @throws IllegalArgumentException if the distance is negative, or the name not as said above
   * @throws FencingException if the database failed; may be called again
   */
  public int forgetOperations(String resource, long distance) {
    Settings.requireResource(resource);
    if (distance < 0) {
      throw new IllegalArgumentException("distance must be 0 or greater but is " + distance);
    }
    return store.forgetOperations(resource, distance);
  }

  FencedResource renew(FencedResource dead, FenceRow renewed) {
    OpenTransactions.refuse(this, dead.resource(), "renew");
    store.renew(dead, renewed);
    return new FencedResource(this, dead.resource(), renewed);
  }

  DataSource dataSource() {
    return dataSource;
  }

  FenceStore store() {
    return store;
  }

  FenceCheck check() {
    return check;
  }
}
