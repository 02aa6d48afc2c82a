package dev.fencing.examples.bank;

import dev.fencing.spring.Fenced;
import dev.fencing.spring.FencedHold;
import dev.fencing.spring.FencedLocks;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Moves money. */
@Service
class TransferService {

  private final AccountRepository accounts;
  private final TransferRepository ledger;
  private final Screening screening;

  TransferService(AccountRepository accounts, TransferRepository ledger, Screening screening) {
    this.accounts = accounts;
    this.ledger = ledger;
    this.screening = screening;
  }

  /** The name of the lock and the fence of an account. */
  static String resource(long account) {
    return FencedLocks.resource("account", account);
  }

  /**
   * Moves money from one account to another, once for each id.
   *
   * <p>Both locks are held and both fences raised when this begins, and the transaction's first
   * statement checks them. A process that freezes anywhere in here, for longer than its session, is
   * refused when it wakes up.
   *
   * @param seen the token of the balance that the client has decided on, if it says so
   * @return the transfer in the ledger, written now or by an earlier request with this id
   */
  @Fenced({"account/#{#order.from}", "account/#{#order.to}"})
  public Transfer transfer(UUID id, TransferOrder order, @Nullable Long seen) {
    // Before the first statement, so that nobody waits for it in the database.
    screening.ask(order);
    Optional<Transfer> done = ledger.findById(id);
    if (done.isPresent()) {
      return done.get();
    }
    Account from = accounts.findById(order.from()).orElseThrow();
    Account to = accounts.findById(order.to()).orElseThrow();
    if (seen != null && seen != from.token()) {
      throw new StaleStatementException(resource(from.id()), seen, from.token());
    }
    from.pay(order.cents(), token(from));
    to.receive(order.cents(), token(to));
    return ledger.save(new Transfer(id, order));
  }

  private static long token(Account account) {
    return FencedHold.current(resource(account.id())).token();
  }
}
