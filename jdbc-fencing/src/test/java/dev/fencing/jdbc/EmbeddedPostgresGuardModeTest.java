package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;

class EmbeddedPostgresGuardModeTest extends GuardModeContract {

  @Override
  DataSource dataSource() {
    return PostgresServer.shared().dataSource();
  }

  @Override
  void awaitBlocked(int transactions) {
    FenceContract.awaitLockWaits(sql, transactions);
  }
}
