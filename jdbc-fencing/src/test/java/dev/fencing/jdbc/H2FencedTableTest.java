package dev.fencing.jdbc;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

class H2FencedTableTest extends FencedTableContract {

  @Override
  DataSource dataSource() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:row_mode;DB_CLOSE_DELAY=-1");
    return dataSource;
  }

  @Override
  String lockWaits() {
    return "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
  }

  @Override
  String openTransactions() {
    return "SELECT count(*) FROM information_schema.sessions WHERE contains_uncommitted";
  }
}
