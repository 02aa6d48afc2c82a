package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The updates that reached the database and are not in what it holds at the end.
 *
 * @param landed how many writes the database accepted
 * @param losses each accepted write whose amount is not in the final balance
 * @param staleWrites how many accepted writes were computed from a balance that was no longer the
 *     current one
 * @param inconsistencies what cannot be, if the log of the database and the clients tell the truth;
 *     with any of these the other numbers mean nothing
 */
public record LostUpdates(
    int landed, List<Loss> losses, int staleWrites, List<String> inconsistencies) {

  /** A lost update, and the write that put a balance without it into its place. */
  public record Loss(Transaction lost, Transaction by) {}

  /** Copies the lists. */
  public LostUpdates {
    losses = List.copyOf(losses);
    inconsistencies = List.copyOf(inconsistencies);
  }

  /**
   * Walks the changes of each account in the order in which they were committed. A write contains
   * what the balance contained that it was computed from, and its own amount.
   */
  public static LostUpdates of(ArmRun run) {
    Map<String, List<Change>> changes = new TreeMap<>();
    run.changes()
        .forEach(each -> changes.computeIfAbsent(each.account(), a -> new ArrayList<>()).add(each));
    Map<String, List<Transaction>> transactions = new TreeMap<>();
    run.transactions()
        .forEach(
            each -> transactions.computeIfAbsent(each.account(), a -> new ArrayList<>()).add(each));
    List<String> inconsistencies = new ArrayList<>(sharedAmounts(run.transactions()));
    List<Loss> losses = new ArrayList<>();
    int landed = 0;
    int staleWrites = 0;
    TreeSet<String> accounts = new TreeSet<>(changes.keySet());
    accounts.addAll(transactions.keySet());
    for (String account : accounts) {
      AccountWalk walk =
          new AccountWalk(
              account,
              changes.getOrDefault(account, List.of()),
              transactions.getOrDefault(account, List.of()));
      walk.run();
      landed += walk.landed();
      staleWrites += walk.staleWrites();
      losses.addAll(walk.losses());
      inconsistencies.addAll(walk.inconsistencies());
    }
    return new LostUpdates(landed, losses, staleWrites, inconsistencies);
  }

  private static List<String> sharedAmounts(List<Transaction> transactions) {
    List<String> shared = new ArrayList<>();
    Map<Long, Integer> numbers = new HashMap<>();
    for (Transaction each : transactions) {
      Integer other = numbers.putIfAbsent(each.amount(), each.number());
      if (other != null && other != each.number() && each.outcome() != Outcome.NOT_LOCKED) {
        shared.add(
            "transactions %d and %d both add %d, so they cannot be told apart"
                .formatted(other, each.number(), each.amount()));
      }
    }
    return shared;
  }
}
