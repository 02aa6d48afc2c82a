package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.Transaction;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/** Where the time of a transaction goes, in milliseconds; NaN if there is none. */
record Phases(double acquire, double read, double write, double release) {

  /** The medians. */
  static Phases of(List<Transaction> written) {
    return new Phases(
        median(written, each -> each.acquiredAt() - each.requestedAt()),
        median(written, each -> each.readAt() - each.acquiredAt()),
        median(written, each -> each.endedAt() - each.readAt()),
        median(written, each -> each.releasedAt() - each.endedAt()));
  }

  /** The means of those that took the longest, one in a hundred and at least one. */
  static Phases ofSlowest(List<Transaction> written) {
    List<Transaction> slowest =
        written.stream()
            .sorted(
                Comparator.comparingLong(
                    (Transaction each) -> each.requestedAt() - each.releasedAt()))
            .limit(Math.max(1, written.size() / 100))
            .toList();
    return new Phases(
        mean(slowest, each -> each.acquiredAt() - each.requestedAt()),
        mean(slowest, each -> each.readAt() - each.acquiredAt()),
        mean(slowest, each -> each.endedAt() - each.readAt()),
        mean(slowest, each -> each.releasedAt() - each.endedAt()));
  }

  private static double mean(List<Transaction> written, ToLongFunction<Transaction> time) {
    return written.stream().mapToLong(time).average().orElse(Double.NaN) / 1e6;
  }

  private static double median(List<Transaction> written, ToLongFunction<Transaction> time) {
    return Quantiles.ofNanos(written.stream().mapToLong(time)).p50();
  }
}
