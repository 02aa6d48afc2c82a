package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;

/** On the embedded PostgreSQL. */
abstract class PostgresTest extends DatabaseTest {

  static final PostgresServer SERVER = PostgresServer.shared();

  @Override
  DataSource dataSource() {
    return SERVER.dataSource();
  }
}
