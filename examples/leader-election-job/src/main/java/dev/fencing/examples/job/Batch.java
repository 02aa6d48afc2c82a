package dev.fencing.examples.job;

import java.util.List;

/**
 * Accounts that lie next to each other in the ledger, as they were read or as they shall become.
 *
 * @param from position of the first account, counted from 0
 * @param to position after the last account
 * @param accounts the accounts from {@code from} to {@code to}
 */
public record Batch(int from, int to, List<Account> accounts) {

  /**
   * One account of the ledger.
   *
   * @param position its place in the ledger, counted from 0
   * @param name its name
   * @param openingCents balance at the cut-off date; it never changes
   * @param balanceCents balance
   */
  public record Account(int position, String name, long openingCents, long balanceCents) {

    Account withInterest() {
      long balance = Math.addExact(balanceCents, Interest.of(openingCents));
      return new Account(position, name, openingCents, balance);
    }
  }

  /** Copies the accounts. */
  public Batch {
    accounts = List.copyOf(accounts);
  }

  /** Whether there is no account in it: the job has reached the end of the ledger. */
  public boolean isEmpty() {
    return accounts.isEmpty();
  }

  /** Whether the account at {@code position} is in it. */
  public boolean covers(int position) {
    return from <= position && position < to;
  }

  /** Returns the batch with one month's interest added to every balance. */
  public Batch withInterest() {
    return new Batch(from, to, accounts.stream().map(Account::withInterest).toList());
  }
}
