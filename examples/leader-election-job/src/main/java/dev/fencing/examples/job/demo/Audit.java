package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.Interest;
import dev.fencing.examples.job.Money;
import dev.fencing.examples.job.OpeningBalance;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of the ledger with what it must be: opening balance, interest and deposits of
 * every account, to the cent.
 *
 * @param accounts how many accounts there must be
 * @param expectedCents what they must hold together
 * @param foundCents what they hold together
 * @param findings the accounts that are wrong
 */
record Audit(int accounts, long expectedCents, long foundCents, List<Finding> findings) {

  private static final int SHOWN = 10;

  /**
   * An account that is wrong.
   *
   * @param account its name
   * @param expected the balance that it must have, null if there must be no such account
   * @param found the balance that it has, null if it is missing
   */
  record Finding(String account, @Nullable String expected, @Nullable String found) {}

  static Audit of(
      List<OpeningBalance> opening, Map<String, Long> deposits, Map<String, Long> balances) {
    Map<String, Long> unknown = new HashMap<>(balances);
    List<Finding> findings = new ArrayList<>();
    long expectedSum = 0;
    long foundSum = 0;
    for (OpeningBalance account : opening) {
      long expected =
          account.cents()
              + Interest.of(account.cents())
              + deposits.getOrDefault(account.account(), 0L);
      expectedSum = Math.addExact(expectedSum, expected);
      Long found = unknown.remove(account.account());
      if (found == null || found != expected) {
        findings.add(new Finding(account.account(), Money.format(expected), text(found)));
      }
    }
    for (long found : balances.values()) {
      foundSum = Math.addExact(foundSum, found);
    }
    unknown.forEach((account, found) -> findings.add(new Finding(account, null, text(found))));
    return new Audit(opening.size(), expectedSum, foundSum, findings);
  }

  boolean right() {
    return findings.isEmpty();
  }

  void print(PrintStream out) {
    out.println();
    String verdict =
        right()
            ? String.format(Locale.ROOT, "all %,d accounts are right", accounts)
            : String.format(Locale.ROOT, "%,d of %,d accounts WRONG", findings.size(), accounts);
    out.printf(
        "Audit: %s; together they must hold %s and hold %s%n",
        verdict, Money.format(expectedCents), Money.format(foundCents));
    for (Finding finding : findings.subList(0, Math.min(SHOWN, findings.size()))) {
      out.printf(
          "  account %s: expected %s, found %s%n",
          finding.account(), orNone(finding.expected()), orNone(finding.found()));
    }
    if (findings.size() > SHOWN) {
      out.printf(Locale.ROOT, "  and %,d more%n", findings.size() - SHOWN);
    }
  }

  private static @Nullable String text(@Nullable Long cents) {
    return cents == null ? null : Money.format(cents);
  }

  private static String orNone(@Nullable String amount) {
    return amount == null ? "no such account" : amount;
  }
}
