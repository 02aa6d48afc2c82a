package dev.fencing.harness.history;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was run, and what was left when everything had been healed and the workers had stopped.
 *
 * @param arm "P1", "P1'" and "P2" are the product, every other name a mutant
 * @param workload what the workers did under the locks
 * @param seconds how long the workers worked
 * @param sessionMillis the session timeout
 * @param tickMillis the server's tick
 * @param children nodes left under the lock paths
 * @param ephemerals ephemeral nodes left in the whole tree
 * @param openTransactions transactions left open in the database
 * @param expiries sessions that the ZooKeeper servers expired, by their logs; null if not counted
 * @param healedAcquire seconds that each worker then needed to get each lock; infinite, or no
 *     entry, for never; nil in EDN
 * @param bankTotal the sum of all accounts, and what it has to be; null without a bank
 * @param claims names of the checks that the arm promises to pass; empty means all
 * @param caughtBy names of the checks of which one at least should catch this mutant; empty means
 *     any
 */
public record RunEnd(
    String arm,
    Workload workload,
    long seed,
    double seconds,
    long sessionMillis,
    long tickMillis,
    long children,
    long ephemerals,
    long openTransactions,
    @Nullable Long expiries,
    Map<String, Map<Integer, Double>> healedAcquire,
    @Nullable Long bankTotal,
    @Nullable Long bankExpected,
    List<String> claims,
    List<String> caughtBy) {

  /** Tells whether the arm is the product, and not a mutant that has to be caught. */
  public boolean isProduct() {
    return arm.matches("P\\d.*");
  }

  Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("arm", arm);
    map.put("workload", workload);
    map.put("seed", seed);
    map.put("seconds", seconds);
    map.put("session-ms", sessionMillis);
    map.put("tick-ms", tickMillis);
    map.put("children", children);
    map.put("ephemerals", ephemerals);
    map.put("open-transactions", openTransactions);
    map.put("expiries", expiries);
    map.put("healed-acquire", finite(healedAcquire));
    map.put("bank-total", bankTotal);
    map.put("bank-expected", bankExpected);
    map.put("claims", claims.isEmpty() ? null : claims);
    map.put("caught-by", caughtBy.isEmpty() ? null : caughtBy);
    return map;
  }

  static RunEnd fromMap(Fields fields) {
    return new RunEnd(
        fields.text("arm"),
        fields.constant("workload", Workload.class),
        fields.number("seed"),
        fields.real("seconds"),
        fields.number("session-ms"),
        fields.number("tick-ms"),
        fields.number("children"),
        fields.number("ephemerals"),
        fields.number("open-transactions"),
        fields.optionalNumber("expiries"),
        healed(fields.get("healed-acquire")),
        fields.optionalNumber("bank-total"),
        fields.optionalNumber("bank-expected"),
        texts(fields.get("claims")),
        texts(fields.get("caught-by")));
  }

  private static Map<String, Map<Integer, @Nullable Double>> finite(
      Map<String, Map<Integer, Double>> healed) {
    Map<String, Map<Integer, @Nullable Double>> finite = new TreeMap<>();
    healed.forEach(
        (lock, workers) -> {
          Map<Integer, @Nullable Double> seconds = new TreeMap<>();
          workers.forEach((worker, time) -> seconds.put(worker, time.isInfinite() ? null : time));
          finite.put(lock, seconds);
        });
    return finite;
  }

  private static Map<String, Map<Integer, Double>> healed(@Nullable Object value) {
    Map<String, Map<Integer, Double>> healed = new TreeMap<>();
    if (value instanceof Map<?, ?> locks) {
      locks.forEach((lock, workers) -> healed.put(lock.toString(), seconds((Map<?, ?>) workers)));
    }
    return healed;
  }

  private static Map<Integer, Double> seconds(Map<?, ?> workers) {
    Map<Integer, Double> seconds = new TreeMap<>();
    workers.forEach(
        (worker, value) ->
            seconds.put(
                ((Number) worker).intValue(),
                value == null ? Double.POSITIVE_INFINITY : ((Number) value).doubleValue()));
    return seconds;
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list
        ? list.stream().map(Objects::toString).toList()
        : List.of();
  }
}
