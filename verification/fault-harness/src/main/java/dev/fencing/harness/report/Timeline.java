package dev.fencing.harness.report;

import dev.fencing.harness.checker.Call;
import dev.fencing.harness.checker.Finding;
import dev.fencing.harness.checker.Hold;
import dev.fencing.harness.checker.Indexed;
import dev.fencing.harness.checker.Verdict;
import dev.fencing.harness.checker.Violation;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The part of a run that is worth looking at: around the first violation, or else where most stale
 * attempts were refused.
 *
 * @param from its beginning, nanoseconds since the origin of the run
 * @param why why this part
 */
record Timeline(
    long from,
    long to,
    String why,
    List<String> locks,
    List<Integer> workers,
    List<Bar> bars,
    List<Mark> marks,
    List<Fault> faults) {

  /** So many holds can be told apart. */
  private static final int HOLDS = 240;

  /** Several holds of one length fill it; a lock that is not given on for long does not. */
  private static final long LONGEST = 30_000_000_000L;

  /**
   * A hold.
   *
   * @param overtaken when somebody else was granted a larger token; {@code to} if nobody was
   */
  record Bar(String lock, int worker, long from, long to, long overtaken, String text) {}

  /** Something at one time. */
  record Mark(String lock, int worker, long time, Sign sign, String text) {}

  /** What a mark stands for. */
  enum Sign {
    RAISED,
    ACCEPTED,
    REFUSED,
    UNKNOWN,
    KILLED,
    VIOLATION
  }

  static Timeline of(Indexed run, Verdict verdict, Measures measures) {
    List<Hold> holds = run.holds();
    Op violation = firstViolation(run, verdict);
    int first = violation == null ? busiest(holds, measures) : before(holds, violation.time());
    int last = Math.min(holds.size(), first + HOLDS) - 1;
    long from = last < 0 ? 0 : holds.get(first).acquire().start();
    long to = last < 0 ? 0 : Math.min(holds.get(last).from(), from + LONGEST);
    if (last == holds.size() - 1 && last >= 0) {
      to = Math.min(holds.stream().mapToLong(Hold::to).max().orElse(to), from + LONGEST);
    }
    if (violation != null) {
      from = Math.max(from, violation.time() - LONGEST / 2);
      to = Math.max(to, violation.time() + 100_000_000);
    }
    TreeSet<String> locks = new TreeSet<>();
    TreeSet<Integer> workers = new TreeSet<>();
    for (Hold hold : holds) {
      locks.add(hold.resource());
      workers.add(hold.worker());
    }
    long begin = from;
    long end = to;
    List<Fault> faults =
        run.run().faults().stream()
            .filter(fault -> fault.to() >= begin && fault.from() <= end)
            .toList();
    List<Mark> marks = marks(run, begin, end);
    marks.addAll(violations(run, verdict, begin, end));
    return new Timeline(
        begin,
        end,
        violation == null ? "where most stale attempts were refused" : "around the first violation",
        List.copyOf(locks),
        List.copyOf(workers),
        bars(run, begin, end),
        marks,
        faults);
  }

  private static @Nullable Op firstViolation(Indexed run, Verdict verdict) {
    for (Finding finding : verdict.failed()) {
      for (Violation violation : finding.violations()) {
        if (!violation.indices().isEmpty()) {
          return run.run().history().get(violation.indices().get(violation.indices().size() - 1));
        }
      }
    }
    return null;
  }

  private static int before(List<Hold> holds, long time) {
    int place = 0;
    while (place < holds.size() && holds.get(place).from() < time) {
      place++;
    }
    return Math.max(0, place - HOLDS / 2);
  }

  /** Sliding over the refusals with a window of so many holds. */
  private static int busiest(List<Hold> holds, Measures measures) {
    List<Long> refused =
        measures.stale().tried().stream().filter(Call::isStale).map(Call::start).sorted().toList();
    int best = 0;
    int most = -1;
    int low = 0;
    int high = 0;
    for (int i = 0; i == 0 || i + HOLDS <= holds.size(); i += HOLDS / 8) {
      if (holds.isEmpty()) {
        return 0;
      }
      long from = holds.get(i).from();
      long to = Math.min(holds.get(Math.min(holds.size(), i + HOLDS) - 1).from(), from + LONGEST);
      while (low < refused.size() && refused.get(low) < from) {
        low++;
      }
      high = Math.max(high, low);
      while (high < refused.size() && refused.get(high) <= to) {
        high++;
      }
      if (high - low > most) {
        most = high - low;
        best = i;
      }
    }
    return best;
  }

  private static List<Bar> bars(Indexed run, long from, long to) {
    Map<String, Hold> latest = new HashMap<>();
    Map<Hold, Long> overtaken = new HashMap<>();
    for (Hold hold : run.holds()) {
      Hold before = latest.get(hold.resource());
      if (before == null || before.token() < hold.token()) {
        if (before != null) {
          overtaken.put(before, hold.from());
        }
        latest.put(hold.resource(), hold);
      }
    }
    List<Bar> bars = new ArrayList<>();
    for (Hold hold : run.holds()) {
      if (hold.to() >= from && hold.from() <= to) {
        long end = Math.min(hold.to(), to);
        long over = Math.min(end, Math.max(from, overtaken.getOrDefault(hold, end)));
        String text =
            "%s, worker %d, hold %s, token %d%n%s to %s%s"
                .formatted(
                    hold.resource(),
                    hold.worker(),
                    hold.name(),
                    hold.token(),
                    seconds(hold.from()),
                    seconds(hold.to()),
                    over < end ? ", overtaken at " + seconds(over) : "");
        bars.add(
            new Bar(hold.resource(), hold.worker(), Math.max(from, hold.from()), end, over, text));
      }
    }
    return bars;
  }

  private static List<Mark> marks(Indexed run, long from, long to) {
    List<Mark> marks = new ArrayList<>();
    for (Call call : run.calls()) {
      Sign sign = sign(call);
      long time = call.completion() == null ? call.start() : call.completion().time();
      if (sign != null && time >= from && time <= to) {
        marks.add(
            new Mark(call.resource(), call.invoke().worker(), time, sign, text(run, call, time)));
      }
    }
    for (Fault fault : run.run().faults()) {
      if (fault.kind() == FaultKind.KILL_HOLDER
          && fault.worker() != null
          && fault.from() >= from
          && fault.from() <= to) {
        marks.add(
            new Mark(
                Objects.requireNonNullElse(fault.resource(), ""),
                fault.worker(),
                fault.from(),
                Sign.KILLED,
                "killed at " + seconds(fault.from())));
      }
    }
    return marks;
  }

  private static @Nullable Sign sign(Call call) {
    if (call.isStale()) {
      return Sign.REFUSED;
    }
    return switch (call.f()) {
      case RAISE, CLAIM -> call.ok() ? Sign.RAISED : null;
      case WRITE -> call.ok() ? Sign.ACCEPTED : call.type() == OpType.INFO ? Sign.UNKNOWN : null;
      default -> null;
    };
  }

  private static String text(Indexed run, Call call, long time) {
    StringBuilder text = new StringBuilder();
    text.append(call.f().name().toLowerCase(Locale.ROOT)).append(' ');
    text.append(call.type().name().toLowerCase(Locale.ROOT)).append(" at ").append(seconds(time));
    text.append(", hold ").append(call.hold()).append(", token ").append(call.token());
    text.append(", :index ").append(call.invoke().index());
    if (call.f() == OpFunction.WRITE) {
      text.append("\nop ").append(call.invoke().op());
      for (LoggedWrite write : run.accepted(call.invoke().op())) {
        text.append("\nin the log as ver ").append(write.ver()).append(" of ").append(write.key());
      }
    }
    Op completion = call.completion();
    if (completion != null && completion.error() != null) {
      text.append('\n').append(completion.error());
    }
    return text.toString();
  }

  private static List<Mark> violations(Indexed run, Verdict verdict, long from, long to) {
    List<Mark> marks = new ArrayList<>();
    for (Finding finding : verdict.failed()) {
      for (Violation violation : finding.violations()) {
        if (violation.indices().isEmpty()) {
          continue;
        }
        Op last = run.run().history().get(violation.indices().get(violation.indices().size() - 1));
        if (last.time() >= from && last.time() <= to && last.resource() != null) {
          marks.add(
              new Mark(
                  last.resource(),
                  last.worker(),
                  last.time(),
                  Sign.VIOLATION,
                  violation.toString()));
        }
      }
    }
    return marks;
  }

  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.3f s", nanos / 1e9);
  }
}
