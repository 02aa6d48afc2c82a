package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;

class EmbeddedPostgresOperationTest extends OperationContract {

  @Override
  DataSource dataSource() {
    return PostgresServer.shared().dataSource();
  }
}
