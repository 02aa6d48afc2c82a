package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The SQL of the fence for one kind of database, and what that database's errors mean. */
interface Dialect {

  /** What a failed statement of the library's own means for the next step. */
  enum Failure {
    /** A lock was not had in time. */
    LOCK_TIMEOUT,
    /** A deadlock or serialization victim: the same step in a new transaction may pass. */
    RETRY,
    /** The connection is gone, or none could be had. */
    CONNECTION,
    /** Anything else; trying again would give the same. */
    OTHER;

    /**
     * Before anything is known of the database: the SQL standard's class of connection failures.
     */
    static Failure ofConnecting(SQLException failure) {
      String state = failure.getSQLState();
      return failure instanceof SQLTransientConnectionException
              || (state != null && state.startsWith("08"))
          ? CONNECTION
          : OTHER;
    }
  }

  /** What {@link #update} did not do, because only the long way does it on this database. */
  int NOT_TOGETHER = -1;

  /**
   * Raises the fence in the open transaction of {@code connection} and returns what the fence holds
   * then, which is {@code mine} if the raise won.
   */
  @Nullable FenceRow raise(Connection connection, String resource, FenceRow mine, Duration bound)
      throws SQLException;

  /** Gives the fence a new raise id if it still holds {@code old}; returns what it holds then. */
  @Nullable FenceRow renew(
      Connection connection, String resource, FenceRow old, FenceRow renewed, Duration bound)
      throws SQLException;

  /**
   * Locks the fence shared until the end of the open transaction and returns what it holds.
   *
   * @param presented what it must hold for the transaction to go on
   */
  @Nullable FenceRow check(
      Connection connection, String resource, FenceRow presented, Duration bound)
      throws SQLException;

  /**
   * Refuses a transaction of the caller's in which {@link #check} could not see that something was
   * read before the raise.
   */
  default void requireJoinable(Connection connection) throws SQLException {}

  /** Returns what the fence holds now, without a lock. */
  @Nullable FenceRow read(Connection connection, String resource) throws SQLException;

  /**
   * Checks the fence and runs one statement, both in one transaction and one round trip, where the
   * database can do that.
   *
   * @param connection in autocommit mode
   * @param bound of the wait for the fence
   * @return the update count, or {@link #NOT_TOGETHER} if nothing was sent
   * @throws SQLException also for a refused token, see {@link #isRefusal}; nothing was written then
   */
  default int update(
      Connection connection,
      String resource,
      FenceRow presented,
      Duration bound,
      String sql,
      @Nullable Object[] parameters)
      throws SQLException {
    return NOT_TOGETHER;
  }

  /** Whether {@link #update} failed because the fence did not hold what was presented. */
  default boolean isRefusal(SQLException failure) {
    return false;
  }

  /**
   * Notes in the open transaction, which has passed the check, that it applies an operation.
   *
   * @return null if nobody had applied it, or the raise under which it was applied
   */
  @Nullable FenceRow recordOperation(
      Connection connection, String resource, String operationId, FenceRow mine)
      throws SQLException;

  /** The statements that do not differ from one database to another. */
  CommonSql common();

  /** Makes the open transaction one that the server will not commit. */
  void poison(Connection connection) throws SQLException;

  /** Whether the server lets the open transaction write nothing. */
  default boolean isReadOnly(Connection connection) throws SQLException {
    return false;
  }

  /** Whether the server has given up the open transaction, so that a commit would keep nothing. */
  boolean isAborted(Connection connection) throws SQLException;

  /**
   * Whether the server has rolled the whole transaction back with this error, so that a later
   * statement would run in a new one; also true if that cannot be found out.
   *
   * @param connection on which nothing was done since
   */
  default boolean endsTransaction(Connection connection, SQLException failure) {
    return false;
  }

  /**
   * Returns a refusal if what the driver prepares on a connection is not there in the next
   * transaction.
   *
   * @param one in a transaction, which is rolled back
   * @param other in a transaction that has done nothing; another one is open there afterwards
   */
  default @Nullable FencingException lostStatements(Connection one, Connection other)
      throws SQLException {
    return null;
  }

  /** How to find statements that work must not send as text, because they end its transaction. */
  default EndingStatement.Rules rules() {
    return EndingStatement.Rules.POSTGRESQL;
  }

  /** Describes the sessions that hold the fence's locks, or how to find them. */
  String blockers(Connection connection, String resource) throws SQLException;

  /** A hint for a message where {@link #blockers} cannot be asked. */
  String howToFindBlockers();

  Failure classify(SQLException failure);

  /** Whether a commit that threw this may nevertheless be durable. */
  boolean commitMayHaveHappened(Connection connection, SQLException failure);

  /** The DDL of the guard table under its configured name. */
  String ddl();

  /** What is wrong with the guard table, empty if nothing is. */
  List<String> schemaProblems(Connection connection) throws SQLException;
}
