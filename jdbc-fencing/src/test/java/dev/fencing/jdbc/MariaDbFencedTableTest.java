package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.MariaDbServer.Driver;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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
  class MySqlDriver extends OnMariaDb {
    @Override
    DataSource dataSource() {
      return server().dataSource(Driver.MYSQL);
    }
  }

  @Nested
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

  abstract static class OnMariaDb extends FencedTableContract {

    static MariaDbServer server() {
      return MariaDbServer.shared()
          .orElseGet(() -> Assumptions.abort("there is no embedded MariaDB for this machine"));
    }

    @Test
    void aTriggerThatPutsTheFenceBackIsToldAndNothingIsKept() throws SQLException {
      sql.run(
          "CREATE TRIGGER put_back BEFORE UPDATE ON account FOR EACH ROW"
              + " SET NEW.fencing_token = OLD.fencing_token");

      assertThat(builder().build().tryOverwrite(33, Map.of("balance", 5), 1L))
          .isEqualTo(UpdateOutcome.HIDDEN);
      assertThat(balance()).isEqualTo(100);
    }

    @Override
    String tableOptions() {
      return " CHARACTER SET utf8mb4";
    }

    @Override
    String lockWaits() {
      return "SELECT variable_value FROM information_schema.global_status"
          + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
    }

    @Override
    String lockTimeout() {
      return "SELECT @@SESSION.innodb_lock_wait_timeout";
    }

    @Override
    String openTransactions() {
      return "SELECT count(*) FROM information_schema.innodb_trx";
    }
  }
}
