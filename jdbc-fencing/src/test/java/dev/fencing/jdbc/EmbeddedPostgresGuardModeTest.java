package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;

class EmbeddedPostgresGuardModeTest extends GuardModeContract {

  @Override
  DataSource dataSource() {
    return PostgresServer.shared().dataSource();
  }
}
