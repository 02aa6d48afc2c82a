package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Row mode on MySQL and MariaDB. */
abstract class InnoDbFencedTableContract extends FencedTableContract {

  /** The table that shows what SHOW GLOBAL STATUS does. */
  abstract String globalStatus();

  @Test
  void aTriggerThatPutsTheFenceBackIsToldAndNothingIsKept() throws SQLException {
    sql.run(
        "CREATE TRIGGER put_back BEFORE UPDATE ON account FOR EACH ROW"
            + " SET NEW.fencing_token = OLD.fencing_token");

    assertThat(builder().build().tryOverwrite(33, Map.of("balance", 5), 1L))
        .isEqualTo(UpdateOutcome.HIDDEN);
    assertThat(balance()).isEqualTo(100);
  }

  /** Nothing can be rolled back there, whatever the message of a refused batch says. */
  @Test
  void aTableWithoutTransactionsIsRefusedAndLeftAsItIs() throws SQLException {
    sql.run("ALTER TABLE account ENGINE = MyISAM");

    assertThatThrownBy(() -> builder().build().overwrite(33, Map.of("balance", 5), 1L))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("account is kept by MyISAM and must be kept by InnoDB");
    assertThat(balance()).isEqualTo(100);
  }

  @Override
  String tableOptions() {
    return " CHARACTER SET utf8mb4";
  }

  @Override
  String lockWaits() {
    return "SELECT variable_value FROM %s WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'"
        .formatted(globalStatus());
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
