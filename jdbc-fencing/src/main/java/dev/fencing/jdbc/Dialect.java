package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
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
    OTHER
  }

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

  /** Locks the fence shared until the end of the open transaction and returns what it holds. */
  @Nullable FenceRow check(Connection connection, String resource, Duration bound)
      throws SQLException;

  /** Makes the open transaction one that the server will not commit. */
  void poison(Connection connection) throws SQLException;

  /** Whether the server has given up the open transaction, so that a commit would keep nothing. */
  boolean isAborted(Connection connection) throws SQLException;

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
