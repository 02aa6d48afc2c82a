package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A report with as many arms, and as long names, as a real one. The numbers are made up. */
final class Sample {

  static final String HOSTILE = "<b>\"bold\"</b>&</script>%s @DATA@";

  private Sample() {}

  static Report report() {
    return new Report(circumstances(), results(), skipped());
  }

  static Map<String, String> circumstances() {
    Map<String, String> circumstances = new LinkedHashMap<>();
    circumstances.put("seed", "1");
    circumstances.put("transactions", "200 an arm");
    circumstances.put("pauses", "1 in 20, 1 to 5 s");
    return circumstances;
  }

  static Map<String, String> skipped() {
    return Map.of("etcd lock", "etcd is not installed");
  }

  static List<ArmResult> results() {
    return List.of(
        arm("no lock", Protection.NONE, null, 0, 60, 2),
        arm("Redis SET NX, released by script", Protection.LEASE, Published.REDIS, 3_000, 19, 3),
        arm("Redis SET NX, released by GET and DEL", Protection.LEASE, null, 3_000, 25, 3),
        arm("Redis SET NX, renewed", Protection.LEASE, null, 3_000, 9, 3),
        arm("Redis primary and replica, failover", Protection.LEASE, null, 3_000, 7, 3),
        arm("Redlock on five servers", Protection.LEASE, Published.REDLOCK, 3_000, 14, 14),
        arm("Redlock, one server dead", Protection.LEASE, null, 3_000, 15, 16),
        arm("InterProcessMutex", Protection.LEASE, null, 3_000, 6, 6),
        arm(HOSTILE, Protection.LEASE, null, 3_000, 0, 6),
        arm("strictly less, checked by the write", Protection.CONDITIONAL, null, 3_000, 1, 7),
        arm("fenced mutex, row mode", Protection.FENCED, Published.FENCED, 3_000, 0, 7),
        arm("fenced mutex, guard mode", Protection.FENCED, null, 3_000, 0, 9),
        arm("Redis INCR token, row mode", Protection.FENCED, null, 3_000, 0, 4),
        arm("Redisson's fenced lock, row mode", Protection.FENCED, null, 3_000, 0, 5),
        arm("PostgreSQL advisory lock", Protection.DATABASE, null, 0, 0, 2),
        arm("SELECT … FOR UPDATE", Protection.DATABASE, null, 0, 0, 2));
  }

  /**
   * Returns an arm of 200 transactions, so many of which are overwritten; or, with a fence, 9 of
   * which are refused.
   */
  private static ArmResult arm(
      String name,
      Protection protection,
      @Nullable Published published,
      long lease,
      int lost,
      int millis) {
    boolean fenced = protection == Protection.FENCED;
    Random random = new Random(name.hashCode());
    List<Transaction> transactions = new ArrayList<>();
    List<Change> changes = new ArrayList<>();
    long balance = 1_000_000;
    long time = 1_000;
    int stopped = fenced ? 9 : lost;
    for (int number = 1; number <= 200; number += 2) {
      boolean pair = number / 2 < stopped;
      long pause = pair ? 3_200 + random.nextInt(1_800) : 0;
      Transaction first =
          Histories.transaction(
              number,
              1_000 + number,
              balance,
              pair && fenced ? Outcome.REFUSED : Outcome.WRITTEN,
              fenced ? number + 32 : 0,
              time,
              time + 3 + pause,
              pause);
      long between = pair ? balance : first.wrote();
      Transaction second =
          Histories.transaction(
              number + 1,
              1_000 + number + 1,
              between,
              Outcome.WRITTEN,
              fenced ? number + 33 : 0,
              time + (pair ? 3_050 : 10),
              time + (pair ? 3_060 : 14),
              0);
      transactions.add(first);
      transactions.add(second);
      if (pair) {
        changes.add(change(number + 1, balance, second.wrote(), second.token()));
        balance = second.wrote();
        if (!fenced) {
          changes.add(change(number + 2, balance, first.wrote(), first.token()));
          balance = first.wrote();
        }
      } else {
        changes.add(change(number, balance, first.wrote(), first.token()));
        changes.add(change(number + 1, first.wrote(), second.wrote(), second.token()));
        balance = second.wrote();
      }
      time += pause + 20;
    }
    ArmRun contended =
        Histories.run(name, lease, transactions, changes, stopped + 2, stopped, stopped);
    return new ArmResult(
        protection,
        published,
        List.of(contended),
        alone(name, lease, random, millis),
        alone(name, lease, random, millis + 12));
  }

  private static Change change(long sequence, long before, long after, long token) {
    return new Change(sequence, "alice", before, after, token);
  }

  private static ArmRun alone(String name, long lease, Random random, int millis) {
    List<Transaction> transactions = new ArrayList<>();
    for (int number = 1; number <= 100; number++) {
      long acquire = Math.round(millis * Math.exp(random.nextGaussian() * 0.3));
      transactions.add(Histories.timed(number, acquire, 1, 1 + random.nextInt(3), 1));
    }
    return Histories.run(name, lease, transactions, List.of(), 0, 0, 0);
  }
}
