package dev.fencing.jdbc;

import com.mysql.cj.jdbc.MysqlDataSource;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mysql.MySQLContainer;

/**
 * All contracts on MySQL, in a container, or on the server that the system property {@code
 * mysql.url} names with user and password, whose database is emptied; skipped with a message where
 * there is neither.
 */
@Tag("containers")
class MySqlTest {

  private static String url = System.getProperty("mysql.url", "");

  @BeforeAll
  static void needsAServer() {
    if (url.isEmpty()) {
      Assumptions.assumeTrue(
          DockerClientFactory.instance().isDockerAvailable(),
          "no Docker engine, and no server given by -Dmysql.url=jdbc:mysql://…");
      @SuppressWarnings("resource") // It serves all tests, and ends with the process.
      MySQLContainer server =
          new MySQLContainer("mysql:8.4").withUsername("root").withPassword("root");
      server.start();
      url = server.getJdbcUrl() + "?user=root&password=root";
    }
  }

  private static DataSource by(boolean affectedRows) {
    MysqlDataSource dataSource = new MysqlDataSource();
    String options = "allowPublicKeyRetrieval=true&sslMode=DISABLED&useAffectedRows=";
    dataSource.setUrl(url + (url.contains("?") ? "&" : "?") + options + affectedRows);
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
  class FenceWithAffectedRows extends FenceContract {
    @Override
    DataSource dataSource() {
      return by(true);
    }
  }

  @Nested
  class GuardMode extends GuardModeContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class GuardModeWithAffectedRows extends GuardModeContract {
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
  class IsolationLevels extends IsolationTest.OnInnoDb {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class RowLocks extends RowLockContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class AFencedDataSource extends FencedDataSourceContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class Starvation extends StarvationContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }
  }

  @Nested
  class Permutations extends InnoDbPermutationContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }

    @Override
    String globalStatus() {
      return "performance_schema.global_status";
    }
  }

  @Nested
  class Table extends InnoDbFencedTableContract {
    @Override
    DataSource dataSource() {
      return by(false);
    }

    @Override
    String globalStatus() {
      return "performance_schema.global_status";
    }
  }

  @Nested
  class TableWithAffectedRows extends InnoDbFencedTableContract {
    @Override
    DataSource dataSource() {
      return by(true);
    }

    @Override
    String globalStatus() {
      return "performance_schema.global_status";
    }

    @Override
    UpdateOutcome unchanged() {
      return UpdateOutcome.UNCHANGED;
    }
  }
}
