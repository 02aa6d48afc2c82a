package dev.fencing.jdbc;

import java.util.ArrayList;
import java.util.List;

/**
 * One order in which the steps of an old holder (O) and of its successor (N) come to their turns. A
 * step that the database blocks is finished as soon as it is free, before the next turn.
 */
record Interleaving(String turns) {

  /** All orders of so many steps of each. */
  static List<Interleaving> all(int old, int successor) {
    List<Interleaving> all = new ArrayList<>();
    extend("", old, successor, all);
    return all;
  }

  private static void extend(String start, int old, int successor, List<Interleaving> all) {
    if (old + successor == 0) {
      all.add(new Interleaving(start));
    }
    if (old > 0) {
      extend(start + "O", old - 1, successor, all);
    }
    if (successor > 0) {
      extend(start + "N", old, successor - 1, all);
    }
  }

  void run(Holder old, Holder successor) throws Exception {
    for (int turn = 0; turn < turns.length(); turn++) {
      boolean ofOld = turns.charAt(turn) == 'O';
      Holder first = ofOld ? old : successor;
      Holder second = ofOld ? successor : old;
      first.turn();
      while (first.advance() || second.advance()) {
        // Each may have freed the other.
      }
    }
    old.finish();
    successor.finish();
  }
}
