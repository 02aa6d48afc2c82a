package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A connection with an open transaction, given back as it came.
 *
 * <p>Closing rolls back what was not committed; a connection that does not even do that is aborted,
 * so that no pool hands it out with somebody's transaction still open.
 */
final class LocalTransaction implements AutoCloseable {

  /** How much longer than a wait for locks on the server the network may stay silent. */
  static final Duration GRACE = Duration.ofSeconds(2);

  private static final System.Logger LOG = System.getLogger(LocalTransaction.class.getName());

  private final Connection connection;
  private final boolean autoCommit;
  private final Silence silence;
  private boolean ended;

  LocalTransaction(Connection connection) throws SQLException {
    this.connection = connection;
    this.silence = new Silence(connection);
    try {
      this.autoCommit = connection.getAutoCommit();
      if (autoCommit) {
        connection.setAutoCommit(false);
      } else {
        OuterTransaction.refuseOrEnd(connection);
      }
    } catch (SQLException | RuntimeException e) {
      giveBack(connection, e);
      throw e;
    }
  }

  Connection connection() {
    return connection;
  }

  /** Bounds how long the driver waits for bytes from the server; a tighter bound stays. */
  void limitSilence(Duration bound) throws SQLException {
    silence.limit(bound);
  }

  /** Ends {@link #limitSilence}. */
  void unlimitSilence() throws SQLException {
    silence.restore();
  }

  /** Commits; after an exception {@link #close()} still clears the connection. */
  void commit() throws SQLException {
    connection.commit();
    ended = true;
  }

  @Override
  public void close() throws SQLException {
    boolean committed = ended;
    ended = true;
    try {
      if (!connection.isClosed()) {
        // After a commit too: whatever is open now was not checked, and autocommit would commit it.
        connection.rollback();
        unlimitSilence();
        if (autoCommit) {
          connection.setAutoCommit(true);
        }
      }
      connection.close();
    } catch (SQLException | RuntimeException e) {
      abort(connection, e);
      if (!committed) {
        throw e;
      }
      LOG.log(System.Logger.Level.DEBUG, "a connection could not be given back", e);
    }
  }

  /** Closes; what that throws is suppressed onto {@code cause}. */
  void closeAfter(Throwable cause) {
    try {
      close();
    } catch (SQLException | RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  /** Cuts a connection that must not serve anybody any more. */
  static void abort(Connection connection, Throwable cause) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      cause.addSuppressed(e);
    }
    giveBack(connection, cause);
  }

  private static void giveBack(Connection connection, Throwable cause) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      cause.addSuppressed(e);
    }
  }
}
