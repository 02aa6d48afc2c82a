package dev.fencing.jdbc;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The steps of a {@link JdbcFence}, each in a transaction of its own. Thread-safe. */
final class FenceStore {

  private static final SecureRandom RAISE_IDS = new SecureRandom();

  /** Of the raise that must not get past a check; long enough to be sure that it waited. */
  private static final Duration SELF_TEST_WAIT = Duration.ofMillis(20);

  /** Always the same raise, so that the self-tests of many processes do not disturb each other. */
  private static final FenceRow SELF_TEST = new FenceRow(0, 1, 1, null, "the self-test");

  private final DataSource dataSource;
  private final Dialects dialects;
  private final Duration raiseTimeout;
  private final Predicate<String> observed;
  private final FenceEvents events;

  private volatile boolean schemaChecked;

  FenceStore(
      DataSource dataSource,
      Dialects dialects,
      Duration raiseTimeout,
      Predicate<String> observed,
      FenceEvents events) {
    this.dataSource = dataSource;
    this.dialects = dialects;
    this.raiseTimeout = raiseTimeout;
    this.observed = observed;
    this.events = events;
  }

  FenceEvents events() {
    return events;
  }

  boolean isObserved(String resource) {
    return observed.test(resource);
  }

  static long newRaiseId() {
    return RAISE_IDS.nextLong();
  }

  void createSchema() {
    SQLException refused = null;
    String ddl = "";
    try (LocalTransaction transaction = new LocalTransaction(dataSource.getConnection());
        Statement statement = transaction.connection().createStatement()) {
      ddl = dialects.of(transaction.connection()).ddl();
      for (String each : ddl.split(";\\R", -1)) { // Not every driver takes two at a time.
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
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
              .formatted(refused.getMessage(), refused.getSQLState(), ddl),
          refused);
    }
  }

  void checkSchema() {
    try {
      checkTables(own("the check of the guard table", "", ""));
      selfTest();
    } catch (FencingException e) {
      throw PostgresStatements.isMixedUp(e.getCause()) ? PostgresStatements.lost(e) : e;
    }
  }

  private void checkTables(OwnTransaction transaction) {
    transaction.read(
        (connection, dialect, bound) -> {
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

  /** Sees with two connections that a check keeps a raise waiting, which everything rests on. */
  private void selfTest() {
    OwnTransaction transaction = own("the self-test of the fence", CommonSql.SELF_TEST, "");
    transaction.commit(
        (connection, dialect, bound) ->
            Verdict.ofRaise(
                CommonSql.SELF_TEST,
                SELF_TEST,
                dialect.raise(connection, CommonSql.SELF_TEST, SELF_TEST, bound)));
    transaction.read(
        (connection, dialect, bound) -> {
          dialect.check(connection, CommonSql.SELF_TEST, SELF_TEST, bound);
          return besideTheCheck(connection, dialect, bound);
        });
  }

  private @Nullable FencingException besideTheCheck(
      Connection checked, Dialect dialect, Duration bound) throws SQLException {
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) {
      return new FencingException(
          "the self-test of the fence needs two connections at a time, and the DataSource gave no second one: %s (SQLState %s). Let its pool have at least 2: a raise beside an open transaction needs them, too"
              .formatted(e.getMessage(), e.getSQLState()),
          e);
    }
    try (LocalTransaction second = new LocalTransaction(connection)) {
      second.limitSilence(bound.plus(LocalTransaction.GRACE));
      FencingException refusal = raiseIsKeptWaiting(checked, second.connection(), dialect);
      return refusal == null ? dialect.lostStatements(checked, second.connection()) : refusal;
    } catch (SQLException e) {
      throw new SQLException(
          "one of the two connections that the self-test needs at a time failed (a pooling proxy in front of the server must have at least 2 to it): "
              + e.getMessage(),
          e.getSQLState(),
          e.getErrorCode(),
          e);
    }
  }

  private static @Nullable FencingException raiseIsKeptWaiting(
      Connection checked, Connection second, Dialect dialect) throws SQLException {
    FenceRow next = new FenceRow(0, 2, 1, null, "the self-test");
    try {
      dialect.raise(second, CommonSql.SELF_TEST, next, SELF_TEST_WAIT);
      dialect.isAborted(checked); // Throws if that transaction was ended while this one came.
      return new FenceSchemaException(
          "this database cannot hold a fence: in the self-test a raise did not wait for a transaction that had passed the check. Either the DataSource gave both the same connection, as one does that joins an outer transaction, or the server or the proxy in front of it does not keep row locks until the commit. Nothing was raised",
          null);
    } catch (SQLException e) {
      if (dialect.classify(e) == Dialect.Failure.LOCK_TIMEOUT) {
        second.rollback();
        return null;
      }
      throw e;
    }
  }

  /** Raises the fence to {@code mine}, or throws. */
  void raise(String resource, FenceRow mine) {
    long start = System.nanoTime();
    OwnTransaction transaction =
        own(
            "the raise of resource \"%s\" to token %s".formatted(resource, mine.pair()),
            resource,
            "The answer to its COMMIT was lost, so it may be in the fence, and the same token cannot"
                + " be raised again. Release the lock and acquire it anew.");
    if (!schemaChecked) {
      checkTables(transaction);
    }
    commit(
        resource,
        mine.token(),
        start,
        transaction,
        (connection, dialect, bound) ->
            Verdict.ofRaise(resource, mine, dialect.raise(connection, resource, mine, bound)));
  }

  /** Gives the fence of a dead handle the raise id of {@code renewed}. */
  void renew(FencedResource dead, FenceRow renewed) {
    long start = System.nanoTime();
    String resource = dead.resource();
    commit(
        resource,
        renewed.token(),
        start,
        own(
            "the renewal of " + dead,
            resource,
            "The answer to its COMMIT was lost; call renew() again, which goes on from there."),
        (connection, dialect, bound) -> {
          FenceRow stored = dialect.renew(connection, resource, dead.raised(), renewed, bound);
          return stored != null && renewed.sameRaise(stored) ? null : dead.refusedBy(stored);
        });
  }

  private void commit(
      String resource,
      long token,
      long start,
      OwnTransaction transaction,
      OwnTransaction.Step step) {
    boolean observedOnly = isObserved(resource);
    boolean[] won = {true};
    try {
      transaction.commit(
          (connection, dialect, bound) -> {
            FencingException refusal = step.run(connection, dialect, bound);
            won[0] = refusal == null;
            if (refusal != null) {
              events.refused(resource, refusal, observedOnly);
            }
            return observedOnly ? null : refusal;
          });
    } catch (FenceBusyException e) {
      events.busy(resource, e, observedOnly);
      if (!observedOnly) {
        throw e;
      }
      return;
    }
    if (won[0]) {
      events.raised(resource, token, start);
    }
  }

  /** Reports a refusal, and swallows it where the resource is observed only. */
  @Nullable FencingException reported(String resource, @Nullable FencingException refusal) {
    if (refusal == null) {
      return null;
    }
    boolean observedOnly = isObserved(resource);
    events.refused(resource, refusal, observedOnly);
    return observedOnly ? null : refusal;
  }

  /** Raises the fence above every token there is. */
  void retire(String resource, FenceRow tombstone) {
    own("the retirement of resource \"%s\"".formatted(resource), resource, "Call it again.")
        .commit(
            (connection, dialect, bound) -> {
              FenceRow stored = dialect.raise(connection, resource, tombstone, bound);
              return stored != null && stored.isTombstone()
                  ? null
                  : Verdict.ofRaise(resource, tombstone, stored);
            });
  }

  /** Throws if a handle with this raise would be refused now. */
  void requireCurrent(String resource, FenceRow raised) {
    own("the look at the fence of resource \"%s\"".formatted(resource), resource, "")
        .read(
            (connection, dialect, bound) ->
                reported(
                    resource,
                    Verdict.ofCheck(resource, raised, dialect.read(connection, resource))));
  }

  List<FenceState> states(@Nullable String resource) {
    List<FenceState> found = new ArrayList<>();
    own("the look at the fences", resource == null ? "" : resource, "")
        .read(
            (connection, dialect, bound) -> {
              found.addAll(dialect.common().states(connection, resource));
              return null;
            });
    return found;
  }

  int forgetOperations(String resource, long distance) {
    int[] forgotten = {0};
    own("forgetting operations of resource \"%s\"".formatted(resource), resource, "Call it again.")
        .commit(
            (connection, dialect, bound) -> {
              for (FenceState now : dialect.common().states(connection, resource)) {
                forgotten[0] = dialect.common().forget(connection, now, distance);
              }
              return null;
            });
    return forgotten[0];
  }

  private OwnTransaction own(String what, String resource, String inDoubt) {
    return new OwnTransaction(dataSource, dialects, what, resource, raiseTimeout, inDoubt);
  }
}
