package dev.fencing.examples.comparison.arm;

import java.sql.SQLException;
import java.time.Duration;

/** How each database is told how long to wait for a lock. */
enum LockWait {
  POSTGRES {
    @Override
    String statement(Duration wait) {
      return "SET lock_timeout = " + wait.toMillis();
    }

    @Override
    boolean isOver(SQLException e) {
      return "55P03".equals(e.getSQLState());
    }
  },
  MARIADB {
    @Override
    String statement(Duration wait) {
      return "SET innodb_lock_wait_timeout = " + Math.max(1, wait.toSeconds());
    }

    @Override
    boolean isOver(SQLException e) {
      return e.getErrorCode() == 1205;
    }
  };

  static LockWait of(String jdbcUrl) {
    return jdbcUrl.startsWith("jdbc:postgresql:") ? POSTGRES : MARIADB;
  }

  /** The statement that sets it for a session. */
  abstract String statement(Duration wait);

  /** Whether a statement failed because it has waited that long. */
  abstract boolean isOver(SQLException e);
}
