package dev.fencing.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class MariaDbPermutationTest extends InnoDbPermutationContract {

  @BeforeAll
  static void needsTheServer() {
    assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
  }

  @Override
  DataSource dataSource() {
    return MariaDbServer.shared().orElseThrow().dataSource();
  }

  @Override
  String globalStatus() {
    return "information_schema.global_status";
  }
}
