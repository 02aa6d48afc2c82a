package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.Transaction;
import java.util.List;
import java.util.function.ToLongFunction;

/** Where the time of a transaction goes, as medians in milliseconds; NaN if there is none. */
record Phases(double acquire, double read, double write, double release) {

  static Phases of(List<Transaction> written) {
    return new Phases(
        median(written, each -> each.acquiredAt() - each.requestedAt()),
        median(written, each -> each.readAt() - each.acquiredAt()),
        median(written, each -> each.endedAt() - each.readAt()),
        median(written, each -> each.releasedAt() - each.endedAt()));
  }

  private static double median(List<Transaction> written, ToLongFunction<Transaction> time) {
    return Quantiles.ofNanos(written.stream().mapToLong(time)).p50();
  }
}
