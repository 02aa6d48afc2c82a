package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Numbers.count;
import static dev.fencing.examples.comparison.report.Numbers.lease;
import static dev.fencing.examples.comparison.report.Numbers.millis;
import static dev.fencing.examples.comparison.report.Numbers.number;
import static dev.fencing.examples.comparison.report.Numbers.percent;
import static dev.fencing.examples.comparison.report.Numbers.some;
import static dev.fencing.examples.comparison.report.Numbers.span;

import dev.fencing.examples.comparison.history.Outcome;
import java.util.Locale;

/** What the numbers of an arm say, in words. */
final class Sentences {

  /** Percentages closer than this are called the same. */
  private static final double SAME = 0.5;

  private Sentences() {}

  /** Says why an arm without a fence lost nothing. */
  static String whyNothingLost(Figures arm) {
    if (arm.landed() == 0) {
      return arm.arm() + " lost nothing, because no write landed; this run proves nothing for it.";
    }
    String start = arm.arm() + " lost nothing of " + some(arm.landed(), "update") + ": ";
    return switch (arm.result().protection()) {
      case NONE -> start + "there is no lock, and yet " + howTheyMet(arm) + ".";
      case DATABASE ->
          start
              + "its lock is one of the database, which does not pass it on while its holder's"
              + " connection lives: a stopped holder keeps it and the others wait; the longest wait"
              + " was "
              + span(arm.waited().max())
              + ".";
      case LEASE -> start + whyTheLeaseHeld(arm);
      case CONDITIONAL ->
          start
              + "%s refused, and here none came between the read and the write of the next holder,"
                  .formatted(some(arm.refused(), "late write"))
              + " where nothing would have refused it (%s longer than the lease)."
                  .formatted(some(arm.pausesLongerThanLease(), "pause"));
      case FENCED -> throw new IllegalArgumentException(arm.arm() + " has a fence");
    };
  }

  private static String howTheyMet(Figures arm) {
    return arm.overlaps() == 0
        ? "no two transactions were at work on one account at once"
        : met("transactions", arm) + ", but none wrote over another's write";
  }

  private static String whyTheLeaseHeld(Figures arm) {
    String pauses =
        "%s of %s lasted longer than the lease of %s"
            .formatted(
                count(arm.pausesLongerThanLease()),
                some(arm.pauses(), "pause"),
                lease(arm.result().leaseMillis()));
    if (arm.overlaps() == 0) {
      return pauses
          + (arm.pausesLongerThanLease() == 0
              ? ", and nobody was granted the lock of another; this run proves nothing for it."
              : ", but nobody was granted the lock of a stopped holder.");
    }
    if (arm.count(Outcome.LOST_LOCK) > 0) {
      return pauses
          + ", and %s; %s noticed in time that the lock was gone, which luck decides, not the lock."
              .formatted(met("holders", arm), some(arm.count(Outcome.LOST_LOCK), "holder"));
    }
    return pauses + ", and " + met("holders", arm) + ", but none wrote over another's write.";
  }

  private static String met(String who, Figures arm) {
    return "two %s were at work at once %s".formatted(who, some(arm.overlaps(), "time"));
  }

  /** Says how the damage differs from what was published, and what that comes from. */
  static String damage(Figures arm, Published published) {
    if (arm.landed() == 0) {
      return "%s: no write landed, so there is nothing to hold against the published %s."
          .formatted(arm.arm(), published(published));
    }
    double difference = arm.lostPercent() - published.lostPercent();
    String measured =
        "%s: %s overwritten were published for %s, and %s were measured (%s of %s), %s."
            .formatted(
                arm.arm(),
                published(published),
                published.words(),
                percent(arm.lostPercent()),
                count(arm.lost()),
                some(arm.landed(), "landed update"),
                Math.abs(difference) < SAME
                    ? "much the same"
                    : number(Math.abs(difference))
                        + (difference > 0 ? " points more" : " points fewer"));
    return measured + " " + reason(arm);
  }

  private static String published(Published published) {
    return String.format(
        Locale.ROOT, published.lostPercent() == 0 ? "%.2f %%" : "%.1f %%", published.lostPercent());
  }

  private static String reason(Figures arm) {
    if (arm.result().protection() == Protection.FENCED) {
      if (arm.staleTried() == 0) {
        return "No stale write came, so the fence had nothing to refuse.";
      }
      return "%s tried to get past the database, which refused %s."
          .formatted(
              some(arm.staleTried(), "stale write"),
              arm.staleTried() == arm.refused() ? "all of them" : count(arm.refused()));
    }
    if (arm.pausesLongerThanLease() == 0) {
      return "No pause lasted longer than the lease of %s here."
          .formatted(lease(arm.result().leaseMillis()));
    }
    double share = 100.0 * arm.pausesLongerThanLease() / Math.max(1, arm.transactions());
    return ("The share follows from how often a holder stops for longer than its lease, which was"
            + " not published; here that befell %s of %s (%s, a lease of %s), and each cost %s"
            + " updates on average.")
        .formatted(
            count(arm.pausesLongerThanLease()),
            some(arm.transactions(), "transaction"),
            percent(share),
            lease(arm.result().leaseMillis()),
            number((double) arm.lost() / arm.pausesLongerThanLease()));
  }

  /** Says how the latency differs from what was published. */
  static String latency(Figures arm, Published published) {
    Quantiles loopback = arm.uncontended();
    Quantiles delayed = arm.delayed();
    String start =
        "%s: a p99 of %s was published".formatted(arm.arm(), millis(published.p99Millis()));
    if (loopback.count() == 0 && delayed.count() == 0) {
      return start + "; it was not measured without contention here.";
    }
    StringBuilder text = new StringBuilder(start).append(", without saying over which network");
    if (loopback.count() > 0) {
      text.append("; measured on loopback: ").append(millis(loopback.p99()));
    }
    if (delayed.count() > 0) {
      text.append("; with every server behind the delaying proxy: ").append(millis(delayed.p99()));
    }
    if (loopback.count() > 0 && delayed.count() > 0) {
      double rise = delayed.p50() - loopback.p50();
      text.append(". The proxy adds ").append(millis(rise)).append(" to the median of ");
      text.append(millis(loopback.p50())).append(", in round trips that follow one another");
    }
    return text.append('.').toString();
  }
}
