package dev.fencing.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

class StarvationTest {

  @Nested
  class OnPostgres extends StarvationContract {
    @Override
    DataSource dataSource() {
      return PostgresServer.shared().dataSource();
    }
  }

  @Nested
  class OnMariaDb extends StarvationContract {
    @BeforeAll
    static void needsTheServer() {
      assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
    }

    @Override
    DataSource dataSource() {
      return MariaDbServer.shared().orElseThrow().dataSource();
    }
  }
}
