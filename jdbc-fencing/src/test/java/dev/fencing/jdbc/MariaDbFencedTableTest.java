package dev.fencing.jdbc;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.MariaDbServer.Driver;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** With both drivers, and both of what an UPDATE that changes nothing can count. */
class MariaDbFencedTableTest {

  @Nested
  class MariaDbDriver extends OnMariaDb {
    @Override
    DataSource dataSource() {
      return server().dataSource(Driver.MARIADB);
    }
  }

  @Nested
  @Tag("thorough")
  class MariaDbDriverThatCountsChanges extends OnMariaDb {
    @Override
    DataSource dataSource() {
      return server().dataSource(Driver.MARIADB, "useAffectedRows=true");
    }

    @Override
    UpdateOutcome unchanged() {
      return UpdateOutcome.UNCHANGED;
    }
  }

  @Nested
  @Tag("thorough")
  class MySqlDriver extends OnMariaDb {
    @Override
    DataSource dataSource() {
      return server().dataSource(Driver.MYSQL);
    }
  }

  @Nested
  @Tag("thorough")
  class MySqlDriverThatCountsChanges extends OnMariaDb {
    @Override
    DataSource dataSource() {
      return server().dataSource(Driver.MYSQL, "useAffectedRows=true");
    }

    @Override
    UpdateOutcome unchanged() {
      return UpdateOutcome.UNCHANGED;
    }
  }

  abstract static class OnMariaDb extends InnoDbFencedTableContract {

    static MariaDbServer server() {
      return MariaDbServer.shared()
          .orElseGet(() -> Assumptions.abort("there is no embedded MariaDB for this machine"));
    }

    @Override
    String globalStatus() {
      return "information_schema.global_status";
    }
  }
}
