package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresPermutationTest extends PermutationContract {

  @Override
  DataSource dataSource() {
    PGSimpleDataSource dataSource = (PGSimpleDataSource) PostgresServer.shared().dataSource();
    dataSource.setOptions("-c synchronous_commit=off"); // Nothing crashes here.
    return dataSource;
  }

  @Override
  String sessionId() {
    return "SELECT pg_backend_pid()";
  }

  @Override
  boolean isBlocked(Connection watching, long[] sessions, boolean otherIsBlocked)
      throws SQLException {
    String query =
        "SELECT cardinality(pg_blocking_pids(%d)) + cardinality(pg_blocking_pids(%d))"
            .formatted(sessions[0], sessions[1]);
    return Sql.number(watching, query) > 0;
  }

  @Override
  String shared() {
    return " FOR SHARE";
  }

  @Override
  String raiseAndRead(Connection connection, long token) {
    return "WITH raised AS (UPDATE fence SET token = %d WHERE resource = 'ledger' RETURNING token)"
            .formatted(token)
        + " SELECT concat(ver, ' ', balance) FROM account, raised WHERE id = 1";
  }

  @Override
  Set<String> harmless(Isolation isolation) {
    return switch (isolation) {
      // What is used is read again after the check.
      case READ_COMMITTED -> Set.of("a check after an earlier read");
      // The second to write the row gets a serialization failure.
      case REPEATABLE_READ -> Set.of("the same token raised again, without raise ids");
    };
  }
}
