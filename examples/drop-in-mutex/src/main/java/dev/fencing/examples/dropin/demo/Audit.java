package dev.fencing.examples.dropin.demo;

/**
 * What the database shows of one article's orders.
 *
 * @param orders how many are written down
 * @param handovers how many of them follow one that another instance has shipped
 * @param outOfTurn how many do not leave what the one before has left, minus their own pieces:
 *     their instance had read before that one wrote, which no lock that excludes lets happen
 * @param shouldBe how many pieces the orders leave on the shelf
 * @param onShelf how many the shelf says there are
 */
record Audit(int orders, int handovers, int outOfTurn, int shouldBe, int onShelf) {

  /** How many pieces have left the shelf without the shelf's knowing. */
  int lost() {
    return onShelf - shouldBe;
  }
}
