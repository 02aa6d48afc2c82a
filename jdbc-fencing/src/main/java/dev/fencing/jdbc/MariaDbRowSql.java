package dev.fencing.jdbc;

import java.sql.SQLException;

/** Row mode on MariaDB 10.6 and later, with InnoDB. */
final class MariaDbRowSql extends MySqlRowSql {

  /** The row has changed since the snapshot: {@code innodb_snapshot_isolation}. */
  private static final int CHANGED_SINCE_READ = 1020;

  @Override
  public Dialect.Failure classify(SQLException failure) {
    return failure.getErrorCode() == CHANGED_SINCE_READ
        ? Dialect.Failure.RETRY
        : super.classify(failure);
  }
}
