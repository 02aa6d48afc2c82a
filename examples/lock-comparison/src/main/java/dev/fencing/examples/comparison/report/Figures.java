package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one arm, over all its contended runs.
 *
 * @param uncontended from the request of the lock to the answer to its release, as for {@code
 *     delayed} and {@code contended}, of the transactions that wrote
 * @param waited contended, from the request to the grant, of all that were granted
 * @param profile of {@code delayed}, or of {@code uncontended} without it
 * @param slowest of the same run, one transaction in a hundred
 * @param seconds that the contended runs took
 */
record Figures(
    ArmResult result,
    List<LostUpdates> runs,
    Map<Outcome, Integer> outcomes,
    int overlaps,
    int pauses,
    int pausesLongerThanLease,
    Quantiles uncontended,
    Quantiles delayed,
    Quantiles contended,
    Quantiles waited,
    Phases profile,
    Phases slowest,
    double seconds) {

  static Figures of(ArmResult result) {
    List<ArmRun> contended = result.contended();
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, 0);
    }
    all(contended).forEach(each -> outcomes.merge(each.outcome(), 1, Integer::sum));
    ArmRun profiled = result.delayed() == null ? result.uncontended() : result.delayed();
    return new Figures(
        result,
        contended.stream().map(LostUpdates::of).toList(),
        outcomes,
        contended.stream().mapToInt(ArmRun::overlaps).sum(),
        contended.stream().mapToInt(ArmRun::pauses).sum(),
        contended.stream().mapToInt(ArmRun::pausesLongerThanLease).sum(),
        latency(listOf(result.uncontended())),
        latency(listOf(result.delayed())),
        latency(contended),
        Quantiles.ofNanos(
            times(
                contended,
                each -> each.acquiredAt() != 0,
                each -> each.acquiredAt() - each.requestedAt())),
        Phases.of(written(listOf(profiled)).toList()),
        Phases.ofSlowest(written(listOf(profiled)).toList()),
        contended.stream().mapToLong(run -> run.endedAt() - run.startedAt()).sum() / 1e9);
  }

  private static List<ArmRun> listOf(@Nullable ArmRun run) {
    return run == null ? List.of() : List.of(run);
  }

  private static Quantiles latency(List<ArmRun> runs) {
    return Quantiles.ofNanos(
        written(runs).mapToLong(each -> each.releasedAt() - each.requestedAt()));
  }

  private static Stream<Transaction> written(List<ArmRun> runs) {
    return all(runs).filter(each -> each.outcome() == Outcome.WRITTEN && each.releasedAt() != 0);
  }

  private static LongStream times(
      List<ArmRun> runs, Predicate<Transaction> which, ToLongFunction<Transaction> time) {
    return all(runs).filter(which).mapToLong(time);
  }

  private static Stream<Transaction> all(List<ArmRun> runs) {
    return runs.stream().flatMap(run -> run.transactions().stream());
  }

  String arm() {
    return result.arm();
  }

  int transactions() {
    return outcomes.values().stream().mapToInt(Integer::intValue).sum();
  }

  int count(Outcome outcome) {
    return outcomes.getOrDefault(outcome, 0);
  }

  int landed() {
    return runs.stream().mapToInt(LostUpdates::landed).sum();
  }

  int lost() {
    return runs.stream().mapToInt(run -> run.losses().size()).sum();
  }

  /** Returns NaN if nothing landed. */
  double lostPercent() {
    return landed() == 0 ? Double.NaN : 100.0 * lost() / landed();
  }

  int refused() {
    return count(Outcome.REFUSED);
  }

  /** Returns how many stale writes reached the database, refused or not. */
  int staleTried() {
    return refused() + runs.stream().mapToInt(LostUpdates::staleWrites).sum();
  }

  /** Returns the writes that landed in a second of the contended runs; NaN if they took no time. */
  double throughput() {
    return seconds <= 0 ? Double.NaN : landed() / seconds;
  }

  /** Returns what cannot be, with the name of the arm. */
  List<String> inconsistencies() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      String where = runs.size() == 1 ? arm() : "%s, run %d".formatted(arm(), i + 1);
      runs.get(i).inconsistencies().forEach(text -> all.add(where + ": " + text));
    }
    return all;
  }
}
