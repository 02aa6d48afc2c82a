package dev.fencing.examples.bank;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** The accounts, as any repository is written; what only reads needs no lock. */
@Transactional(readOnly = true)
interface AccountRepository extends JpaRepository<Account, Long> {

  List<Account> findAllByOrderById();

  @Query("select sum(a.cents) from Account a")
  long total();
}
