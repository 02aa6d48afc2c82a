package dev.fencing.jdbc;

import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A holder of the lock that takes each step of its work when it is its turn, on sessions of its
 * own: one for what it does in transactions of their own, as a raise, and one for its work.
 */
final class Holder implements AutoCloseable {

  /** One step of the work; one that throws ends it, rolled back. */
  interface Step {
    void run(Holder holder) throws SQLException;
  }

  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** How a guard that is tried refuses. */
  private static final String REFUSED = "REFUS";

  private final String name;
  private final PermutationContract database;
  private final int isolation;
  private final HikariDataSource aside;
  private final HikariDataSource working;
  private final Connection watching;
  private final JdbcFence fence;

  private @Nullable Holder other;
  private History history = new History();
  private List<Step> steps = List.of();
  private int taken;
  private int due;
  private @Nullable CompletableFuture<Void> running;
  private boolean wasBlocked;

  private long token;
  private @Nullable FencedResource handle;
  private @Nullable Connection connection;
  private long[] sessions = new long[2];
  private long version;
  private long balance;
  private boolean wrote;

  Holder(String name, PermutationContract database, int isolation) throws SQLException {
    this.name = name;
    this.database = database;
    this.isolation = isolation;
    this.aside = poolOfOne();
    this.working = poolOfOne();
    this.watching = database.dataSource().getConnection();
    this.fence = JdbcFence.of(aside);
    identify();
  }

  private HikariDataSource poolOfOne() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }

  void prepare(List<Step> work, long presented, History into, Holder beside) {
    other = beside;
    steps = work;
    taken = 0;
    due = 0;
    token = presented;
    history = into;
    wasBlocked = false;
    wrote = false;
    handle = null;
  }

  private void identify() throws SQLException {
    try (Connection first = aside.getConnection();
        Connection second = working.getConnection()) {
      sessions =
          new long[] {
            Sql.number(first, database.sessionId()), Sql.number(second, database.sessionId())
          };
    }
  }

  void turn() {
    due++;
  }

  /** Takes the steps that are due; returns whether it finished one. */
  boolean advance() throws Exception {
    if (running == null) {
      if (due == 0 || taken == steps.size()) {
        return false;
      }
      due--;
      Step step = steps.get(taken++);
      running =
          Background.start(
              () -> {
                take(step);
                return null;
              });
    }
    if (!isFinished(running)) {
      wasBlocked = true;
      return false;
    }
    running = null;
    return true;
  }

  /** Takes what is left, when nobody is in the way any more. */
  void finish() throws Exception {
    long start = System.nanoTime();
    while (running != null || taken < steps.size()) {
      if (!advance() && System.nanoTime() - start > STUCK_NANOS) {
        throw new AssertionError(this + " is blocked at the end");
      }
    }
  }

  private void take(Step step) throws SQLException {
    try {
      step.run(this);
    } catch (SQLException | FencingException e) {
      if (!isRefusal(e)) {
        throw e;
      }
      taken = steps.size();
      history.refused(name, token, e);
      giveBack();
      identify(); // A connection of which a check was refused may have been cut.
    }
  }

  /** Anything else is a mistake of the test, and would pass for a guard that holds. */
  private static boolean isRefusal(Throwable failure) {
    return failure instanceof StaleTokenException
        || History.isSerializationFailure(failure)
        || (failure instanceof SQLException refused && REFUSED.equals(refused.getSQLState()));
  }

  private boolean isFinished(CompletableFuture<Void> step) throws Exception {
    long start = System.nanoTime();
    while (System.nanoTime() - start < STUCK_NANOS) {
      try {
        step.get(1, TimeUnit.MILLISECONDS);
        return true;
      } catch (TimeoutException e) {
        if (database.isBlocked(watching, sessions, other != null && other.running != null)) {
          return false;
        }
      } catch (ExecutionException e) {
        throw new AssertionError("a step of " + this + " failed", e.getCause());
      }
    }
    throw new AssertionError("a step of " + this + " neither ends nor is blocked");
  }

  boolean wasBlocked() {
    return wasBlocked;
  }

  long token() {
    return token;
  }

  void raise() {
    handle = fence.raise("ledger", token);
  }

  void renew() {
    handle = requireNonNull(handle).renew();
  }

  void share(Holder other) {
    handle = other.handle;
  }

  void aside(String statement) throws SQLException {
    try (Connection own = aside.getConnection()) {
      Sql.execute(own, statement);
    }
  }

  Connection connection() {
    return requireNonNull(connection);
  }

  void begin() throws SQLException {
    if (connection == null) {
      connection = working.getConnection();
      connection.setTransactionIsolation(isolation);
    }
    connection.setAutoCommit(false);
  }

  void check() throws SQLException {
    begin();
    requireNonNull(handle).check(connection());
  }

  /** A check of the token alone, by a query that returns the stored one. */
  void require(String query) throws SQLException {
    long stored = Sql.number(connection(), query);
    if (stored != token) {
      throw new SQLException("the fence is at " + stored, REFUSED);
    }
  }

  void requireLocked(String query) throws SQLException {
    require(query + database.shared());
  }

  /** A read of which nothing is used. */
  void look() throws SQLException {
    Sql.number(connection(), "SELECT count(*) FROM account");
  }

  /** Both in one statement of the work's own transaction. */
  void raiseAndRead() throws SQLException {
    read(database.raiseAndRead(connection(), token));
  }

  /** What is computed from is what is read here. */
  void read() throws SQLException {
    read("SELECT concat(ver, ' ', balance) FROM account WHERE id = 1");
  }

  void read(String query) throws SQLException {
    String row = Sql.text(connection(), query);
    int space = row.indexOf(' ');
    version = Long.parseLong(row.substring(0, space));
    balance = Long.parseLong(row.substring(space + 1));
    history.read(token, version);
  }

  void write() throws SQLException {
    write("");
  }

  void write(String condition) throws SQLException {
    if (update(condition) != 1) {
      throw new SQLException("no row was updated", REFUSED);
    }
    journal();
  }

  void writeWhateverTheCount(String condition) throws SQLException {
    update(condition);
    journal();
  }

  private int update(String condition) throws SQLException {
    return Sql.execute(
        connection(),
        "UPDATE account SET balance = %d, ver = ver + 1, fencing_token = %d WHERE id = 1%s"
            .formatted(balance + token, token, condition));
  }

  private void journal() throws SQLException {
    Sql.execute(
        connection(),
        "INSERT INTO journal SELECT '%s', %d, ver, %d, %d, %d FROM account WHERE id = 1"
            .formatted(name, token, version, balance, balance + token));
    wrote = true;
  }

  void commit() throws SQLException {
    try {
      connection().commit();
      if (wrote) {
        history.acknowledged(name);
      }
    } finally {
      giveBack();
    }
  }

  /** Sets a savepoint, checks, and goes on from the savepoint if the check is refused. */
  void checkBehindASavepoint() throws SQLException {
    begin();
    Savepoint before = connection().setSavepoint();
    try {
      check();
    } catch (FencingException refused) {
      if (connection().isClosed()) {
        throw refused;
      }
      connection().rollback(before);
    }
  }

  private void giveBack() throws SQLException {
    Connection used = connection;
    connection = null;
    if (used != null) {
      used.close(); // The pool rolls back.
    }
  }

  @Override
  public String toString() {
    return name + " at step " + taken + " of " + steps.size();
  }

  @Override
  public void close() throws SQLException {
    giveBack();
    aside.close();
    working.close();
    watching.close();
  }
}
