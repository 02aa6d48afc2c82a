package dev.fencing.jdbc;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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

  private static final SecureRandom RAISE_IDS = new SecureRandom();

  private final DataSource dataSource;
  private final Dialect dialect;
  private final String holder;
  private final long generation;
  private final Duration raiseTimeout;
  private final FenceCheck check;

  private volatile boolean schemaChecked;

  private JdbcFence(Builder builder) {
    this.dataSource = builder.dataSource;
    this.dialect = new PostgresDialect(builder.table, builder.idleInTransactionTimeout);
    this.holder = builder.holder == null ? Settings.defaultHolder() : builder.holder;
    this.generation = builder.generation;
    this.raiseTimeout = builder.raiseTimeout;
    this.check = new FenceCheck(dataSource, dialect, builder.checkTimeout);
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
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Creates the guard table if it is missing, and checks it; safe to call from many processes.
   *
   * @throws FenceSchemaException if the database refused the DDL, or a table of that name cannot
   *     hold a fence
   * @throws FencingException if the database failed
   */
  public void createSchema() {
    SQLException refused = null;
    try (LocalTransaction transaction = new LocalTransaction(dataSource.getConnection());
        Statement statement = transaction.connection().createStatement()) {
      statement.execute(dialect.ddl());
      transaction.commit();
    } catch (SQLException e) {
      // Where another session created it at the same moment, or it was there and this role may not
      // create tables, all is well; only the table itself tells.
      refused = e;
    }
    try {
      checkSchema();
    } catch (FenceSchemaException missing) {
      if (refused == null) {
        throw missing;
      }
      throw new FenceSchemaException(
          "the guard table could not be created: %s (SQLState %s). Let an owner of the schema run:%n%s"
              .formatted(refused.getMessage(), refused.getSQLState(), dialect.ddl()),
          refused);
    }
  }

  /**
   * Checks that the guard table can hold a fence; the first raise does it too.
   *
   * @throws FenceSchemaException if the table is missing, a column is missing or of another type,
   *     or the database is not a PostgreSQL
   * @throws FencingException if the database failed, or did not answer within the raise timeout
   */
  public void checkSchema() {
    checkSchema(own("the check of the guard table", "", ""));
  }

  private void checkSchema(OwnTransaction transaction) {
    transaction.read(
        (connection, bound) -> {
          List<String> problems = dialect.schemaProblems(connection);
          return problems.isEmpty()
              ? null
              : new FenceSchemaException(
                  "the database cannot hold a fence: %s. Call JdbcFence.createSchema(), or run:%n%s"
                      .formatted(String.join("; ", problems), dialect.ddl()),
                  null);
        });
    schemaChecked = true;
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
   *     {@link FencedResource#check} checked is not seen, and makes it wait until the raise timeout
   * @throws StaleTokenException if the fence is at a higher token, or this token was raised before
   * @throws FenceBusyException if an open transaction did not end in time; may be tried again
   * @throws FenceSchemaException if the guard table is missing or wrong
   * @throws FencingException if the database failed; the message says whether the raise may be in
   *     the fence, in which case only a new acquisition goes on
   */
  public FencedResource raise(String resource, long token) {
    Settings.requireResource(resource);
    if (token <= 0) {
      throw new IllegalArgumentException(
          "the token for resource \"%s\" must be greater than 0 but is %d; a token is the czxid of a lock node, or another number that rises with every grant"
              .formatted(resource, token));
    }
    OpenTransactions.refuse(this, resource, "raise");
    FenceRow mine = new FenceRow(generation, token, RAISE_IDS.nextLong(), holder);
    OwnTransaction transaction =
        own(
            "the raise of resource \"%s\" to token %s".formatted(resource, mine.pair()),
            resource,
            "The answer to its COMMIT was lost, so it may be in the fence, and the same token cannot"
                + " be raised again. Release the lock and acquire it anew.");
    if (!schemaChecked) {
      checkSchema(transaction);
    }
    transaction.commit(
        (connection, bound) ->
            Verdict.ofRaise(resource, mine, dialect.raise(connection, resource, mine, bound)));
    return new FencedResource(this, resource, mine);
  }

  FenceRow renewal(FenceRow old) {
    return new FenceRow(old.generation(), old.token(), RAISE_IDS.nextLong(), old.raisedBy());
  }

  FencedResource renew(FencedResource dead, FenceRow renewed) {
    OpenTransactions.refuse(this, dead.resource(), "renew");
    own(
            "the renewal of " + dead,
            dead.resource(),
            "The answer to its COMMIT was lost; call renew() again, which goes on from there.")
        .commit(
            (connection, bound) -> {
              FenceRow stored =
                  dialect.renew(connection, dead.resource(), dead.raised(), renewed, bound);
              return stored != null && renewed.sameRaise(stored) ? null : dead.judge(stored);
            });
    return new FencedResource(this, dead.resource(), renewed);
  }

  private OwnTransaction own(String what, String resource, String inDoubt) {
    return new OwnTransaction(dataSource, dialect, what, resource, raiseTimeout, inDoubt);
  }

  FenceCheck check() {
    return check;
  }

  /** Builds a {@link JdbcFence}; refuses a bad value at once. Not thread-safe. */
  public static final class Builder {

    private final DataSource dataSource;
    private String table = "fence";
    private @Nullable String holder;
    private long generation;
    private Duration raiseTimeout = DEFAULT_RAISE_TIMEOUT;
    private Duration checkTimeout = DEFAULT_CHECK_TIMEOUT;
    private Duration idleInTransactionTimeout = DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT;

    private Builder(DataSource dataSource) {
      this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /**
     * Names the guard table, {@code fence} by default.
     *
     * @param table lower-case letters, digits and underscores, with a schema in front if need be
     * @throws IllegalArgumentException if the name holds anything else
     */
    public Builder table(String table) {
      this.table = Settings.requireTable(table);
      return this;
    }

    /**
     * Names this process in the fence, for people who read messages; process id and host by
     * default.
     *
     * @param holder 1 to 255 characters
     * @throws IllegalArgumentException if it is empty or longer
     */
    public Builder holder(String holder) {
      this.holder = Settings.requireHolder(holder);
      return this;
    }

    /**
     * Sets the generation that the tokens belong to, 0 by default. It is compared before the token,
     * and an operator raises it after the source of tokens was rebuilt and started again near zero.
     *
     * @param generation 0 or greater
     * @throws IllegalArgumentException if it is negative
     */
    public Builder generation(long generation) {
      if (generation < 0) {
        throw new IllegalArgumentException("generation must be 0 or greater but is " + generation);
      }
      this.generation = generation;
      return this;
    }

    /**
     * Bounds a raise and a renewal in all, {@link #DEFAULT_RAISE_TIMEOUT} by default. Longer than
     * the idle-in-transaction timeout, so that a frozen holder's transaction is ended in time.
     *
     * @param timeout 1 ms to 1 hour
     * @throws IllegalArgumentException if it is outside that range
     */
    public Builder raiseTimeout(Duration timeout) {
      this.raiseTimeout = Settings.requireTimeout("raiseTimeout", timeout);
      return this;
    }

    /**
     * Bounds the wait of a check for a raise in progress, {@link #DEFAULT_CHECK_TIMEOUT} by
     * default.
     *
     * @param timeout 1 ms to 1 hour
     * @throws IllegalArgumentException if it is outside that range
     */
    public Builder checkTimeout(Duration timeout) {
      this.checkTimeout = Settings.requireTimeout("checkTimeout", timeout);
      return this;
    }

    /**
     * Has the server end a fenced transaction that stands idle for so long between two statements,
     * as a frozen holder's does; {@link #DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT} by default. A shorter
     * limit that the role or the database has already is kept.
     *
     * @param timeout 1 ms to 1 hour
     * @throws IllegalArgumentException if it is outside that range
     */
    public Builder idleInTransactionTimeout(Duration timeout) {
      this.idleInTransactionTimeout = Settings.requireTimeout("idleInTransactionTimeout", timeout);
      return this;
    }

    /** Returns the fence; asks no database. */
    public JdbcFence build() {
      return new JdbcFence(this);
    }
  }
}
