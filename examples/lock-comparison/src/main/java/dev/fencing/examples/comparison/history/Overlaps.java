package dev.fencing.examples.comparison.history;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two holders of one lock at once. */
public final class Overlaps {

  private Overlaps() {}

  /**
   * Returns how many transactions were told that they had the lock of their account while an
   * earlier holder had not ended its work. The time after the end of the work does not count: there
   * the lock is free on the server before the client reads the answer to its release.
   */
  public static int count(List<Transaction> transactions) {
    Map<String, Long> ends = new HashMap<>();
    int overlaps = 0;
    List<Transaction> granted =
        transactions.stream()
            .filter(transaction -> transaction.acquiredAt() != 0)
            .sorted(Comparator.comparingLong(Transaction::acquiredAt))
            .toList();
    for (Transaction transaction : granted) {
      long end = Math.max(transaction.acquiredAt(), transaction.endedAt());
      Long earlier = ends.get(transaction.account());
      if (earlier != null && earlier > transaction.acquiredAt()) {
        overlaps++;
      }
      ends.merge(transaction.account(), end, Math::max);
    }
    return overlaps;
  }
}
