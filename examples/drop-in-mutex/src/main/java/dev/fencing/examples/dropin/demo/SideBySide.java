package dev.fencing.examples.dropin.demo;

import java.util.List;
import java.util.Locale;

/**
 * What instances have shown that worked at the same time under one lock.
 *
 * @param step the step of the switch
 * @param versions what they ran, one for each
 * @param acknowledged how many orders they have reported as shipped
 * @param audit what the database shows of these orders
 */
record SideBySide(String step, List<String> versions, int acknowledged, Audit audit) {

  /** Whether they excluded each other, took turns, and lost nothing. */
  boolean asDocumented() {
    return audit.orders() == acknowledged
        && audit.outOfTurn() == 0
        && audit.lost() == 0
        && (versions.size() == 1 || audit.handovers() > 1);
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "%-12s %-24s %6d %9d %11d %12d",
        step,
        String.join(", ", versions),
        acknowledged,
        audit.handovers(),
        audit.outOfTurn(),
        audit.lost());
  }
}
