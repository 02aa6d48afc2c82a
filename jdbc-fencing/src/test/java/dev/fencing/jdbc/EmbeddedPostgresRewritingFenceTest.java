package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** With the option that makes the driver answer a batch of inserts with unknown counts. */
class EmbeddedPostgresRewritingFenceTest extends GuardModeContract {

  @Override
  DataSource dataSource() {
    PGSimpleDataSource dataSource = (PGSimpleDataSource) PostgresServer.shared().dataSource();
    dataSource.setReWriteBatchedInserts(true);
    return dataSource;
  }
}
