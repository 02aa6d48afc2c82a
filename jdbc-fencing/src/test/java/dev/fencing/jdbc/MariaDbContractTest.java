package dev.fencing.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.MariaDbServer.Driver;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** All contracts on MariaDB, by both drivers, whatever an update count means to them. */
class MariaDbContractTest {

  @BeforeAll
  static void needsTheServer() {
    assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
  }

  private static DataSource by(Driver driver, boolean affectedRows) {
    return MariaDbServer.shared()
        .orElseThrow()
        .dataSource(driver, "useAffectedRows=" + affectedRows);
  }

  @Nested
  class ByItsOwnDriver extends FenceContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MARIADB, false);
    }
  }

  @Nested
  @Tag("thorough")
  class ByTheDriverOfMySqlWithAffectedRows extends FenceContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MYSQL, true);
    }
  }

  @Nested
  @Tag("thorough")
  class GuardModeWithAffectedRows extends GuardModeContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MARIADB, true);
    }
  }

  @Nested
  class GuardModeByTheDriverOfMySql extends GuardModeContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MYSQL, false);
    }
  }

  @Nested
  class Operations extends OperationContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MARIADB, false);
    }
  }

  @Nested
  @Tag("thorough")
  class OperationsWithAffectedRows extends OperationContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MARIADB, true);
    }
  }

  @Nested
  @Tag("thorough")
  class OperationsByTheDriverOfMySql extends OperationContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MYSQL, false);
    }
  }

  @Nested
  @Tag("thorough")
  class OperationsByTheDriverOfMySqlWithAffectedRows extends OperationContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MYSQL, true);
    }
  }

  @Nested
  class AFencedDataSource extends FencedDataSourceContract {
    @Override
    DataSource dataSource() {
      return by(Driver.MARIADB, false);
    }
  }
}
