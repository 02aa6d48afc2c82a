package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.Interest;
import dev.fencing.examples.job.Money;
import dev.fencing.examples.job.OpeningBalance;
import java.util.List;

/**
 * The account between whose read and write the leader is frozen, and its right balances.
 *
 * @param account its name
 * @param position its place in the ledger, counted from 0
 * @param interest the interest that it gets
 * @param deposit the deposit that is booked while the old leader is frozen
 * @param opening what the old leader read
 * @param withInterest what it computed from that, and writes late
 * @param withDeposit what the account must hold at the end
 */
record Victim(
    String account,
    int position,
    String interest,
    String deposit,
    String opening,
    String withInterest,
    String withDeposit) {

  /** The size of the deposit. */
  static final long DEPOSIT_CENTS = 50_000;

  static Victim of(List<OpeningBalance> accounts, int position) {
    OpeningBalance account = accounts.get(position);
    long interest = Interest.of(account.cents());
    long withInterest = account.cents() + interest;
    return new Victim(
        account.account(),
        position,
        Money.format(interest),
        Money.format(DEPOSIT_CENTS),
        Money.format(account.cents()),
        Money.format(withInterest),
        Money.format(withInterest + DEPOSIT_CENTS));
  }
}
