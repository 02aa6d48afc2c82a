package dev.fencing.harness.checker;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunEnd;
import dev.fencing.harness.history.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** V: the reasons why a run says nothing, although no check found anything. */
final class Vacuity {

  private static final Pattern EXPIRING =
      Pattern.compile("expir\\w*\\s+session\\s+(0x\\p{XDigit}+)", Pattern.CASE_INSENSITIVE);

  private Vacuity() {}

  /** Returns why it cannot be called valid; empty if it can. */
  static List<String> doubts(Indexed run, Thresholds thresholds) {
    List<String> doubts = new ArrayList<>();
    Run left = run.run();
    List<String> malformed = run.malformed();
    if (!malformed.isEmpty()) {
      doubts.add(
          "%d lines are no history; the first: %s".formatted(malformed.size(), malformed.get(0)));
    }
    RunEnd end = left.end();
    if (end == null) {
      doubts.add("end.edn is missing: the run did not get to its end");
    }
    Workload workload = end == null ? Workload.COUNTER : end.workload();
    if (left.log() == null && workload != Workload.LOCK_ONLY) {
      doubts.add("oplog.edn is missing: what the database accepted is not known");
    }
    List<Episodes.Episode> episodes = Episodes.of(run);
    tooFew(doubts, "two-believer episodes", episodes.size(), thresholds.episodes());
    tooFew(doubts, "overtaken holders", Episodes.overtaken(episodes), thresholds.overtaken());
    if (workload != Workload.LOCK_ONLY) {
      tooFew(doubts, "stale attempts", StaleAttempts.of(run).tried().size(), thresholds.stale());
    }
    tooFew(doubts, "sessions expired by the server", expiries(left), thresholds.expiries());
    for (OpFunction f : Thresholds.operations(end == null ? "" : end.arm(), workload)) {
      if (run.calls(f).stream().noneMatch(Call::ok)) {
        doubts.add("no " + f.name().toLowerCase(Locale.ROOT) + " was acknowledged");
      }
    }
    long proved = left.faults().stream().filter(Fault::proved).count();
    int planned = left.faults().size();
    if (planned == 0 || proved < thresholds.proved() * planned) {
      doubts.add(
          "%d of %d planned faults are proved, %.0f %% are needed"
              .formatted(proved, planned, 100 * thresholds.proved()));
    }
    return doubts;
  }

  private static void tooFew(List<String> doubts, String what, long is, int atLeast) {
    if (is < atLeast) {
      doubts.add("%d %s, at least %d are needed".formatted(is, what, atLeast));
    }
  }

  /** As counted, or else the different ones that the proofs name. */
  static long expiries(Run run) {
    RunEnd end = run.end();
    if (end != null && end.expiries() != null) {
      return end.expiries();
    }
    Set<String> sessions = new HashSet<>();
    for (Fault fault : run.faults()) {
      Matcher matcher = EXPIRING.matcher(fault.proof());
      while (fault.proved() && matcher.find()) {
        sessions.add(matcher.group(1));
      }
    }
    return sessions.size();
  }
}
