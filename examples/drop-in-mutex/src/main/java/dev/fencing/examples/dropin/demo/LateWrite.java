package dev.fencing.examples.dropin.demo;

import java.util.Locale;

/**
 * What became of the write of an instance that ought not to write.
 *
 * @param step the step of the switch
 * @param writer the version that wrote late
 * @param successor the version that had worked meanwhile
 * @param acknowledged how many orders the successor has reported as shipped
 * @param refusal whether the late write is to be refused, as documented, or to land
 * @param said what the late writer said of its write
 * @param audit what the database shows of these orders
 */
record LateWrite(
    String step,
    String writer,
    String successor,
    int acknowledged,
    boolean refusal,
    String said,
    Audit audit) {

  /** Whether it was refused and did nothing, or landed and undid all that the successor wrote. */
  boolean asDocumented() {
    boolean refused = said.startsWith(InstanceMain.REFUSED);
    return refused == refusal
        && audit.orders() == acknowledged + (refused ? 0 : 1)
        && audit.outOfTurn() == (refused ? 0 : 1)
        && audit.lost() == (refused ? 0 : acknowledged);
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "%-12s %-24s %-10s %6d %12d",
        step,
        writer + ", then " + successor,
        audit.orders() > acknowledged ? "LANDED" : "refused",
        acknowledged,
        audit.lost());
  }
}
