package dev.fencing.examples.comparison.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a fence may cost, against the same arms on the same servers. */
final class Goals {

  private static final double OF_REDIS = 1.25;
  private static final double OF_REDLOCK = 0.5;

  private Goals() {}

  /** Returns a sentence for each condition and each arm to be held against. */
  static List<String> of(List<Figures> arms) {
    List<String> sentences = new ArrayList<>();
    Figures fenced = find(arms, Published.FENCED);
    if (fenced == null) {
      return sentences;
    }
    add(sentences, fenced, find(arms, Published.REDIS), OF_REDIS);
    add(sentences, fenced, find(arms, Published.REDLOCK), OF_REDLOCK);
    return sentences;
  }

  private static void add(
      List<String> sentences, Figures fenced, @Nullable Figures other, double goal) {
    if (other == null) {
      return;
    }
    if (has(fenced, other, Figures::delayed)) {
      double ratio = fenced.delayed().p99() / other.delayed().p99();
      sentences.add(
          ratio(fenced, other, Figures::delayed, "behind the delaying proxy")
              + String.format(
                  Locale.ROOT, "; at most %.2f of the p99 is the goal: %s.", goal, met(ratio, goal))
              + (ratio <= goal ? "" : " " + difference(fenced, other)));
    }
    if (has(fenced, other, Figures::uncontended)) {
      sentences.add(ratio(fenced, other, Figures::uncontended, "on loopback") + ".");
    }
  }

  private static boolean has(Figures one, Figures other, Function<Figures, Quantiles> which) {
    return which.apply(one).count() > 0 && which.apply(other).count() > 0;
  }

  private static String ratio(
      Figures fenced, Figures other, Function<Figures, Quantiles> which, String where) {
    Quantiles one = which.apply(fenced);
    Quantiles two = which.apply(other);
    return String.format(
        Locale.ROOT,
        "The p99 of %s is %.2f times that of %s %s, and its median %.2f times",
        fenced.arm(),
        one.p99() / two.p99(),
        other.arm(),
        where,
        one.p50() / two.p50());
  }

  private static String met(double ratio, double goal) {
    return ratio <= goal ? "met" : "NOT met";
  }

  private static String difference(Figures fenced, Figures other) {
    return "At the median it takes "
        + difference(fenced.profile(), other.profile())
        + "; in the slowest hundredth of both "
        + difference(fenced.slowest(), other.slowest())
        + ".";
  }

  private static String difference(Phases one, Phases two) {
    return String.format(
        Locale.ROOT,
        "%+.2f ms to acquire, %+.2f ms to read, %+.2f ms to write and %+.2f ms to release",
        one.acquire() - two.acquire(),
        one.read() - two.read(),
        one.write() - two.write(),
        one.release() - two.release());
  }

  private static @Nullable Figures find(List<Figures> arms, Published published) {
    return arms.stream()
        .filter(arm -> arm.result().published() == published)
        .findFirst()
        .orElse(null);
  }
}
