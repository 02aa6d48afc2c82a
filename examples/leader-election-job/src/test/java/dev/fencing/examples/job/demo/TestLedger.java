package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.InterestJob;
import dev.fencing.examples.job.OpeningBalance;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** The demo's tables in the shared PostgreSQL of the tests. */
final class TestLedger {

  private final List<OpeningBalance> accounts;

  private TestLedger(List<OpeningBalance> accounts) {
    this.accounts = accounts;
  }

  /** Creates the tables, the fence among them, with so many accounts. */
  static TestLedger create(int accounts) {
    TestLedger ledger = new TestLedger(DemoRun.accounts(accounts));
    try (LedgerTables tables = LedgerTables.connect(database())) {
      tables.create(ledger.accounts, InterestJob.RESOURCE, true);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    JdbcFence.builder(PostgresServer.shared().dataSource())
        .table(LedgerTables.FENCE)
        .build()
        .createSchema();
    return ledger;
  }

  static Servers.Database database() {
    PostgresServer postgres = PostgresServer.shared();
    return new Servers.Database(postgres.url(), postgres.user(), null);
  }

  Servers.Database through(TcpProxy proxy) {
    // Without named statements every request shows its text, so that the proxy can pick one.
    String url = "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres?prepareThreshold=0";
    return new Servers.Database(url, PostgresServer.shared().user(), null);
  }

  Audit audit(Map<String, Long> deposits) throws SQLException {
    try (LedgerTables tables = LedgerTables.connect(database())) {
      return Audit.of(accounts, deposits, tables.balances());
    }
  }

  /** Drops what is there of the tables. */
  static void drop() {
    try (Connection connection = PostgresServer.shared().dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "DROP TABLE IF EXISTS fencing_demo_deposit, fencing_demo_account,"
              + " fencing_demo_progress, "
              + LedgerTables.FENCE);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
