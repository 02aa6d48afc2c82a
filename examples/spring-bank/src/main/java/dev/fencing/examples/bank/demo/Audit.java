package dev.fencing.examples.bank.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Compares what the clients know with what the database holds.
 *
 * @param findings what is wrong, nothing if all is right
 * @param lines for people
 */
record Audit(List<String> findings, List<String> lines) {

  /**
   * @param opening what each account held at the start, in cents
   */
  static Audit of(long opening, List<Long> balances, Map<UUID, Order> ledger, Books books) {
    List<String> findings = new ArrayList<>(books.unexpected());
    long sum = balances.stream().mapToLong(Long::longValue).sum();
    long money = opening * balances.size();
    if (sum != money) {
      findings.add("the accounts hold %s in all instead of %s".formatted(text(sum), text(money)));
    }
    compareAccounts(opening, balances, ledger, findings);
    books.done().values().stream()
        .filter(order -> !isSame(order, ledger.get(order.id())))
        .forEach(
            order ->
                findings.add(
                    "%s was answered 200, but the ledger has %s"
                        .formatted(order, ledger.get(order.id()))));
    books.refused().values().stream()
        .filter(order -> ledger.containsKey(order.id()))
        .forEach(order -> findings.add(order + " was refused, but is in the ledger"));
    long doubtfulDone = books.doubtful().keySet().stream().filter(ledger::containsKey).count();
    ledger.values().stream()
        .filter(
            order ->
                !books.done().containsKey(order.id())
                    && !books.refused().containsKey(order.id())
                    && !books.doubtful().containsKey(order.id()))
        .forEach(order -> findings.add(order + " is in the ledger, but nobody knows of it"));
    long kept =
        books.done().values().stream()
            .filter(order -> isSame(order, ledger.get(order.id())))
            .count();
    long slipped = books.refused().keySet().stream().filter(ledger::containsKey).count();
    List<String> lines =
        List.of(
            line(
                "money",
                "%s in %d accounts, %s at the start",
                text(sum),
                balances.size(),
                text(money)),
            line("answers", "%s", books),
            line("done", "%,d transfers, %,d of them in the ledger", books.done().size(), kept),
            line(
                "refused",
                "%,d transfers, %,d of them in the ledger; %d of a holder that was frozen",
                books.refused().size(),
                slipped,
                books.late()),
            line(
                "in doubt",
                "%,d transfers, %,d of them in the ledger",
                books.doubtful().size(),
                doubtfulDone));
    return new Audit(findings, lines);
  }

  private static void compareAccounts(
      long opening, List<Long> balances, Map<UUID, Order> ledger, List<String> findings) {
    long[] expected = new long[balances.size()];
    ledger
        .values()
        .forEach(
            order -> {
              expected[(int) order.from() - 1] -= order.cents();
              expected[(int) order.to() - 1] += order.cents();
            });
    for (int i = 0; i < expected.length; i++) {
      if (balances.get(i) != opening + expected[i]) {
        findings.add(
            "account %d holds %s, but %s by the ledger"
                .formatted(i + 1, text(balances.get(i)), text(opening + expected[i])));
      }
    }
  }

  private static boolean isSame(Order asked, @Nullable Order found) {
    return found != null
        && asked.from() == found.from()
        && asked.to() == found.to()
        && asked.cents() == found.cents();
  }

  private static String line(String name, String format, Object... values) {
    return String.format(Locale.ROOT, "  %-10s", name) + String.format(Locale.ROOT, format, values);
  }

  private static String text(long cents) {
    return String.format(Locale.ROOT, "%,d.%02d", cents / 100, cents % 100);
  }
}
