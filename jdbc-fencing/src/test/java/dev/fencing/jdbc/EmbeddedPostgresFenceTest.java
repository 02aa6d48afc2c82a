package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;

class EmbeddedPostgresFenceTest extends PostgresFenceContract {

  @Override
  DataSource dataSource() {
    return PostgresServer.shared().dataSource();
  }
}
