package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.jdbc.PostgresEnforcement;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** What no proxy sees is refused by the database. */
class EnforcementTest extends SpringTest {

  static class Ledger {
    final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("ledger")
    @Transactional
    public void set(long balance) {
      jdbc.update("UPDATE account SET balance = ? WHERE id = 1", balance);
    }

    public void setFromWithin(long balance) {
      set(balance);
    }

    @Transactional
    public void setFromWithinInATransaction(long balance) {
      set(balance);
    }

    @Fenced("other")
    @Transactional
    public void setUnderAnotherHold(long balance) {
      set(balance);
    }
  }

  private Ledger ledger;

  @BeforeEach
  void guard() {
    ledger = shared(Ledger.class).getBean(Ledger.class);
    Servers.SQL.execute(PostgresEnforcement.ddl("fence"));
    Servers.SQL.execute("SELECT fence_guard_table('account', 'ledger')");
  }

  @AfterEach
  void unguard() {
    Servers.SQL.execute("SELECT fence_unguard_table('account')");
    Servers.SQL.execute("DROP FUNCTION fence_refuse_write, fence_unguard_table CASCADE");
  }

  @Test
  void aCallFromWithinTheSameObjectWritesNothing() {
    ledger.set(5);
    assertRefused(() -> ledger.setFromWithin(6));
    assertRefused(() -> ledger.setFromWithinInATransaction(6));
    assertRefused(() -> ledger.setUnderAnotherHold(6));
    assertThat(Servers.balance(1)).isEqualTo(5);
    ledger.set(7);
    assertThat(Servers.balance(1)).isEqualTo(7);
  }

  private static void assertRefused(Runnable call) {
    assertThatThrownBy(call::run)
        .hasMessageContaining("ledger")
        .rootCause()
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("FEN02"));
  }
}
