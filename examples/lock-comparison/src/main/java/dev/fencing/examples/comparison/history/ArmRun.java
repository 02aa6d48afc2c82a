package dev.fencing.examples.comparison.history;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One lock, and one way to write under it, through one run of the work.
 *
 * @param arm its name
 * @param promise what it promises, in one sentence
 * @param leaseMillis how long its servers let a holder be silent; 0 if its locks do not expire
 * @param transactions every one that was begun, in any order
 * @param changes what the database accepted, in any order
 * @param startedAt when the first transaction could begin, a value of {@link System#nanoTime}
 * @param endedAt when the last one was over
 * @param pauses how often a process was stopped
 * @param pausesLongerThanLease how many of these lasted longer than the lease
 * @param overlaps how often the lock was granted while another holder was still at work
 * @param facts whatever else is worth knowing, in the order in which it is to be read
 */
public record ArmRun(
    String arm,
    String promise,
    long leaseMillis,
    List<Transaction> transactions,
    List<Change> changes,
    long startedAt,
    long endedAt,
    int pauses,
    int pausesLongerThanLease,
    int overlaps,
    Map<String, String> facts) {

  /** Copies the lists and the map. */
  public ArmRun {
    transactions = List.copyOf(transactions);
    changes = List.copyOf(changes);
    facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
  }
}
