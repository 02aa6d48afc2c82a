package dev.fencing.harness.checker;

import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.RunEnd;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** B1: the accounts have their total in the end, and every transfer takes what it gives. */
final class Bank implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.B1);
    RunEnd end = run.run().end();
    if (end == null || !end.workload().isBank()) {
      return found.finding(end == null ? "the run did not get to its end" : "there is no bank");
    }
    if (end.bankExpected() != null) {
      found.judged();
      if (!Objects.equals(end.bankTotal(), end.bankExpected())) {
        found.add(
            "the total of the accounts is %s, not %s"
                .formatted(end.bankTotal(), end.bankExpected()));
      }
    }
    for (String op : new TreeSet<>(run.acceptedOps())) {
      List<LoggedWrite> transfer = run.accepted(op);
      found.judged();
      long sum = 0;
      for (LoggedWrite row : transfer) {
        sum += amount(row.fresh()) - amount(row.old());
      }
      if (sum != 0) {
        found.add(
            "op %s (token %d) changed the total by %d, in %d rows"
                .formatted(op, transfer.get(0).token(), sum, transfer.size()),
            run.attempt(transfer.get(0)));
      }
    }
    return found.finding();
  }

  private static long amount(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }
}
