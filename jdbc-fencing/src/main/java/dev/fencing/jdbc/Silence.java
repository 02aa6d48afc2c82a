package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

/** How long the driver waits for bytes from the server, for a while. For one thread. */
final class Silence {

  private static final System.Logger LOG = System.getLogger(Silence.class.getName());

  private final Connection connection;
  private int before = -1;

  Silence(Connection connection) {
    this.connection = connection;
  }

  /** Bounds it; a tighter bound stays. Returns the one that holds. */
  Duration limit(Duration bound) throws SQLException {
    int wanted = Math.toIntExact(Math.min(Integer.MAX_VALUE, Math.max(1, bound.toMillis())));
    try {
      int present = connection.getNetworkTimeout();
      if (present == 0 || present > wanted) {
        connection.setNetworkTimeout(Runnable::run, wanted);
        before = before < 0 ? present : before;
        return bound;
      }
      return Duration.ofMillis(present);
    } catch (SQLFeatureNotSupportedException e) {
      LOG.log(System.Logger.Level.DEBUG, "the driver has no network timeout", e);
      return bound;
    }
  }

  /** Puts back what it was. */
  void restore() throws SQLException {
    if (before >= 0) {
      connection.setNetworkTimeout(Runnable::run, before);
      before = -1;
    }
  }

  /** Puts it back and closes the connection, whose outcome is certain, whatever becomes of it. */
  void giveBack() {
    try {
      if (!connection.isClosed()) {
        restore();
      }
      connection.close();
    } catch (SQLException | RuntimeException e) {
      LocalTransaction.abort(connection, e);
      LOG.log(System.Logger.Level.DEBUG, "a connection could not be given back", e);
    }
  }
}
