package dev.fencing.examples.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** The repositories, which know nothing of fences, without a lock. */
class RepositoryTest {

  private final Bank bank = Bank.open();
  private final AccountRepository accounts = bank.bean(AccountRepository.class);

  private List<Map<String, Object>> fences() {
    return bank.sql().queryForList("SELECT * FROM fence ORDER BY resource");
  }

  @Test
  void methodsThatOnlyReadNeedNoLockAndRaiseNoFence() throws Exception {
    List<Map<String, Object>> before = fences();
    List<String> locks = bank.nodes("/bank/account");

    assertThat(accounts.findAllByOrderById()).hasSize(Bank.ACCOUNTS);
    assertThat(accounts.findById(7L)).map(Account::cents).contains(Bank.OPENING);
    assertThat(accounts.total()).isEqualTo(Bank.ACCOUNTS * Bank.OPENING);
    assertThat(accounts.count()).isEqualTo(Bank.ACCOUNTS);
    assertThat(bank.bean(TransferRepository.class).findAll()).isEmpty();

    assertThat(fences()).isEqualTo(before);
    assertThat(bank.nodes("/bank/account")).isEqualTo(locks);
  }

  @Test
  void aWriteUnderNoHoldIsRefusedByWhicheverWayItComes() {
    Account account = accounts.findById(1L).orElseThrow();
    account.receive(5, 1);
    TransactionTemplate transactions = bank.bean(TransactionTemplate.class);

    assertThatThrownBy(() -> accounts.save(account)).hasStackTraceContaining("hold");
    assertThatThrownBy(
            () ->
                transactions.executeWithoutResult(
                    status -> accounts.findById(1L).orElseThrow().receive(5, 1)))
        .hasStackTraceContaining("hold");

    assertThat(bank.cents(1)).isEqualTo(Bank.OPENING);
  }
}
