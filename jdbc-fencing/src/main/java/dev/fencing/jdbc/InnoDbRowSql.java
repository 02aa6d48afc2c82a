package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Row mode on MySQL 8 and later, and on MariaDB 10.6 and later, with InnoDB. */
final class InnoDbRowSql extends LockingRowSql {

  /** On any other engine a refused batch would keep what it wrote, and a claim no row locked. */
  @Override
  public List<String> tableProblems(Connection connection, String table) throws SQLException {
    return InnoDbDialect.engineProblems(connection, table);
  }

  /** Of the next transaction only, so that nothing outlasts it. */
  @Override
  public Undo prepare(Connection connection) throws SQLException {
    execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    return () -> {};
  }

  /** Whole seconds. */
  @Override
  long limit(Duration left) {
    return Math.max(1, left.plusMillis(500).toSeconds());
  }

  @Override
  Undo limitWaits(Connection connection, long limit) throws SQLException {
    execute(
        connection,
        "SET @fencing_lock_wait = @@SESSION.innodb_lock_wait_timeout,"
            + " SESSION innodb_lock_wait_timeout = "
            + limit);
    return () -> execute(connection, "SET SESSION innodb_lock_wait_timeout = @fencing_lock_wait");
  }

  @Override
  void changeLimit(Connection connection, long limit) throws SQLException {
    execute(connection, "SET SESSION innodb_lock_wait_timeout = " + limit);
  }

  /** With useAffectedRows=true a row that held the values counts as 0; no trigger can skip one. */
  @Override
  boolean isSilentAboutUnchangedRows() {
    return true;
  }

  @Override
  public Dialect.Failure classify(SQLException failure) {
    return InnoDbErrors.classify(failure);
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return InnoDbErrors.commitMayHaveHappened(failure);
  }

  @Override
  public String howToFindBlockers() {
    return InnoDbErrors.HOW_TO_FIND_BLOCKERS;
  }
}
