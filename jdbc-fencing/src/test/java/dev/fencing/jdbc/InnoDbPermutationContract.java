package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** The interleavings on MySQL and MariaDB. */
abstract class InnoDbPermutationContract extends PermutationContract {

  /** The table that shows what SHOW GLOBAL STATUS does. */
  abstract String globalStatus();

  @Override
  String sessionId() {
    return "SELECT CONNECTION_ID()";
  }

  /** The tables that tell who waits are a tenth of a second old; the number of waits is not. */
  @Override
  boolean isBlocked(Connection watching, long[] sessions, boolean otherIsBlocked)
      throws SQLException {
    String waits =
        "SELECT variable_value FROM %s WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'"
            .formatted(globalStatus());
    return Sql.number(watching, waits) > (otherIsBlocked ? 1 : 0);
  }

  @Override
  String shared() {
    return " LOCK IN SHARE MODE";
  }

  @Override
  String raiseAndRead(Connection connection, long token) throws SQLException {
    Sql.execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    Sql.execute(connection, "UPDATE fence SET token = " + token + " WHERE resource = 'ledger'");
    return "SELECT concat(ver, ' ', balance) FROM account WHERE id = 1";
  }

  @Override
  Set<String> harmless(Isolation isolation) {
    // The library cuts the connection of a refused check, and the savepoint with it.
    String savepoint = "a savepoint before the check";
    return switch (isolation) {
      // Each read has a snapshot of its own, behind the wait for the lock.
      case READ_COMMITTED ->
          Set.of(savepoint, "raise and read in one statement", "a check after an earlier read");
      // The sub-select of an UPDATE locks what it reads.
      case REPEATABLE_READ -> Set.of(savepoint, "EXISTS in the UPDATE");
    };
  }
}
