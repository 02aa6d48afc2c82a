package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Numbers.count;
import static dev.fencing.examples.comparison.report.Numbers.lease;
import static dev.fencing.examples.comparison.report.Numbers.span;

import dev.fencing.examples.comparison.history.Transaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A holder that was stopped, and the one that got its lock meanwhile, step by step. The first is
 * client 1, the other client 2.
 *
 * @param leaseEnds when the lease of client 1 was over if nothing renewed it, in milliseconds since
 *     its grant; 0 if it had none, or client 2 came before
 */
record Story(
    String title,
    String moral,
    List<Step> steps,
    Bar first,
    Bar second,
    double stopsAt,
    double goesOnAt,
    double leaseEnds) {

  /** A line of the story; the text stands with who does it. */
  record Step(double millis, String first, String database, String second, Kind kind) {}

  /** From the grant to the end of the work, in milliseconds since the grant of client 1. */
  record Bar(double from, double to) {}

  enum Kind {
    PLAIN,
    STOPPED,
    GOOD,
    BAD,
    REFUSED
  }

  /** Tells how the write of one overwrote that of the other. */
  static Story overwritten(ArmResult arm, Transaction stale, Transaction lost) {
    List<Step> steps = begin(arm, stale, lost);
    double end = millis(stale, stale.endedAt());
    steps.add(
        new Step(
            end,
            "writes %s, told that it succeeded".formatted(sum(stale)),
            "balance %s: the %s of client 2 is gone"
                .formatted(count(stale.wrote()), count(lost.amount())),
            "",
            Kind.BAD));
    return story(
        arm,
        arm.arm() + ": how an update was lost",
        ("Both clients were told that their write had succeeded. The balance holds the %s of"
                + " client 1, and not the %s of client 2.")
            .formatted(count(stale.amount()), count(lost.amount())),
        steps,
        stale,
        lost);
  }

  /** Tells how the write of one was refused. */
  static Story refused(ArmResult arm, Transaction stale, Transaction newer) {
    List<Step> steps = begin(arm, stale, newer);
    steps.add(
        new Step(
            millis(stale, stale.endedAt()),
            "tries to write %s with token %d".formatted(sum(stale), stale.token()),
            "refused: it has seen token %d".formatted(newer.token()),
            "",
            Kind.REFUSED));
    return story(
        arm,
        arm.arm() + ": how a stale write was refused",
        ("The lock could not tell client 1 that it was lost. The database could: token %d is lower"
                + " than %d. The %s of client 2 is safe, and client 1 starts over.")
            .formatted(stale.token(), newer.token(), count(newer.amount())),
        steps,
        stale,
        newer);
  }

  private static Story story(
      ArmResult arm,
      String title,
      String moral,
      List<Step> steps,
      Transaction stale,
      Transaction other) {
    steps.sort(Comparator.comparingDouble(Step::millis));
    return new Story(
        title,
        moral,
        List.copyOf(steps),
        new Bar(0, millis(stale, stale.endedAt())),
        new Bar(millis(stale, other.acquiredAt()), millis(stale, other.endedAt())),
        millis(stale, stopsAt(stale)),
        millis(stale, stopsAt(stale) + stale.frozenNanos()),
        leaseEnded(arm, stale, other) ? arm.leaseMillis() : 0);
  }

  private static List<Step> begin(ArmResult arm, Transaction stale, Transaction other) {
    List<Step> steps = new ArrayList<>();
    steps.add(
        new Step(0, "gets the lock of " + stale.account() + token(stale), "", "", Kind.PLAIN));
    steps.add(
        new Step(
            millis(stale, stale.readAt()),
            "reads",
            "balance " + count(stale.read()),
            "",
            Kind.PLAIN));
    if (stale.frozenNanos() > 0) {
      double stops = millis(stale, stopsAt(stale));
      String length = span(stale.frozenNanos() / 1e6);
      steps.add(new Step(stops, "its process is stopped", "", "", Kind.STOPPED));
      steps.add(
          new Step(
              stops + stale.frozenNanos() / 1e6,
              "goes on; it cannot know that %s passed".formatted(length),
              "",
              "",
              Kind.PLAIN));
    }
    if (leaseEnded(arm, stale, other)) {
      steps.add(
          new Step(
              arm.leaseMillis(),
              "",
              "",
              "(the lease of client 1 is over, after %s)".formatted(lease(arm.leaseMillis())),
              Kind.STOPPED));
    }
    steps.add(
        new Step(
            millis(stale, other.acquiredAt()),
            "",
            "",
            "gets the same lock" + token(other),
            Kind.PLAIN));
    steps.add(
        new Step(
            millis(stale, other.readAt()),
            "",
            "balance " + count(other.read()),
            "reads",
            Kind.PLAIN));
    steps.add(
        new Step(
            millis(stale, other.endedAt()),
            "",
            "balance " + count(other.wrote()),
            "writes " + sum(other),
            Kind.GOOD));
    return steps;
  }

  /** Coupons are taken, so their amounts are negative. */
  private static String sum(Transaction transaction) {
    return "%s %s %s = %s"
        .formatted(
            count(transaction.read()),
            transaction.amount() < 0 ? "-" : "+",
            count(Math.abs(transaction.amount())),
            count(transaction.wrote()));
  }

  private static String token(Transaction transaction) {
    return transaction.token() == 0 ? "" : ", with token " + transaction.token();
  }

  private static boolean leaseEnded(ArmResult arm, Transaction stale, Transaction other) {
    return arm.leaseMillis() > 0 && millis(stale, other.acquiredAt()) >= arm.leaseMillis();
  }

  /** In the middle of where it fits: only the length of a stop is known. */
  private static long stopsAt(Transaction stale) {
    long from = stale.readAt() == 0 ? stale.acquiredAt() : stale.readAt();
    return from + Math.max(0, stale.endedAt() - from - stale.frozenNanos()) / 2;
  }

  private static double millis(Transaction stale, long time) {
    return (time - stale.acquiredAt()) / 1e6;
  }
}
