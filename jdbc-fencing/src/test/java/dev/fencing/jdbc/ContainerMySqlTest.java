package dev.fencing.jdbc;

import com.mysql.cj.jdbc.MysqlDataSource;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mysql.MySQLContainer;

/** Needs a Docker engine; skipped with a message without one. */
@Tag("containers")
@Testcontainers(disabledWithoutDocker = true)
class ContainerMySqlTest {

  @Container
  private static final MySQLContainer SERVER =
      new MySQLContainer("mysql:8.4").withUsername("root").withPassword("root");

  private static DataSource by(boolean affectedRows) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(
        SERVER.getJdbcUrl()
            + "?allowPublicKeyRetrieval=true&sslMode=DISABLED&useAffectedRows="
            + affectedRows);
    dataSource.setUser(SERVER.getUsername());
    dataSource.setPassword(SERVER.getPassword());
    return dataSource;
  }

  @Nested
  class Fence extends FenceContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class GuardMode extends GuardModeContract {
    @Override
    DataSource dataSource() {
      return by(true);
    }
  }

  @Nested
  class Operations extends OperationContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class OperationsWithAffectedRows extends OperationContract {
    @Override
    DataSource dataSource() {
      return by(true);
    }
  }

  @Nested
  class RowLocks extends RowLockContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }
}
