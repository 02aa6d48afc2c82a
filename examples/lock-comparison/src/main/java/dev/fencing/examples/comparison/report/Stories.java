package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.report.LostUpdates.Loss;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Picks what to tell: one lost update and one refused write, of the best known arms. */
final class Stories {

  private Stories() {}

  static List<Story> of(List<Figures> arms) {
    List<Figures> known =
        arms.stream()
            .sorted(Comparator.comparing(arm -> arm.result().published() == null))
            .toList();
    List<Story> stories = new ArrayList<>();
    first(known, Stories::overwritten).ifPresent(stories::add);
    first(known, Stories::refused).ifPresent(stories::add);
    return stories;
  }

  private static Optional<Story> first(
      List<Figures> arms, Function<Figures, Optional<Story>> teller) {
    return arms.stream().map(teller).flatMap(Optional::stream).findFirst();
  }

  /**
   * The lost update whose overwriter was stopped the longest, of those that are told in a few
   * steps: the other one came later, was not stopped, and both were told that they had written;
   * best of all, nobody else wrote in between.
   */
  private static Optional<Story> overwritten(Figures arm) {
    return arm.runs().stream()
        .flatMap(run -> run.losses().stream())
        .filter(loss -> isWritten(loss.by()) && isWritten(loss.lost()))
        .filter(loss -> loss.by().frozenNanos() > 0 && loss.lost().frozenNanos() == 0)
        .filter(loss -> loss.by().acquiredAt() < loss.lost().acquiredAt())
        .filter(loss -> loss.lost().endedAt() < loss.by().endedAt())
        .max(
            Comparator.comparing((Loss loss) -> loss.by().read() == loss.lost().read())
                .thenComparingLong(loss -> loss.by().frozenNanos()))
        .map(loss -> Story.overwritten(arm.result(), loss.by(), loss.lost()));
  }

  /** The refused write of the longest stop that another holder wrote in. */
  private static Optional<Story> refused(Figures arm) {
    return arm.result().contended().stream()
        .flatMap(run -> refused(arm.result(), run).stream())
        .findFirst();
  }

  private static Optional<Story> refused(ArmResult arm, ArmRun run) {
    List<Transaction> refused =
        run.transactions().stream()
            .filter(each -> each.outcome() == Outcome.REFUSED && isWhole(each))
            .filter(each -> each.frozenNanos() > 0 && each.token() != 0)
            .sorted(Comparator.comparingLong(Transaction::frozenNanos).reversed())
            .toList();
    for (Transaction stale : refused) {
      Optional<Transaction> newer =
          run.transactions().stream()
              .filter(Stories::isWritten)
              .filter(each -> each.account().equals(stale.account()))
              .filter(each -> each.token() > stale.token())
              .filter(each -> each.endedAt() < stale.endedAt())
              .filter(each -> each.read() == stale.read())
              .min(Comparator.comparingLong(Transaction::acquiredAt));
      if (newer.isPresent()) {
        return Optional.of(Story.refused(arm, stale, newer.get()));
      }
    }
    return Optional.empty();
  }

  private static boolean isWritten(Transaction transaction) {
    return transaction.outcome() == Outcome.WRITTEN && isWhole(transaction);
  }

  private static boolean isWhole(Transaction transaction) {
    return transaction.acquiredAt() != 0 && transaction.readAt() != 0 && transaction.endedAt() != 0;
  }
}
