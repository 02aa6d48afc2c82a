package dev.fencing.jdbc;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Nested;

/** All contracts on H2. */
class H2ContractTest {

  static DataSource inMemory() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:fencing;DB_CLOSE_DELAY=-1");
    dataSource.setUser("sa");
    return dataSource;
  }

  @Nested
  class Fence extends FenceContract {
    @Override
    DataSource dataSource() {
      return inMemory();
    }
  }

  @Nested
  class GuardMode extends GuardModeContract {
    @Override
    DataSource dataSource() {
      return inMemory();
    }
  }

  @Nested
  class Operations extends OperationContract {
    @Override
    DataSource dataSource() {
      return inMemory();
    }
  }

  @Nested
  class AFencedDataSource extends FencedDataSourceContract {
    @Override
    DataSource dataSource() {
      return inMemory();
    }
  }
}
