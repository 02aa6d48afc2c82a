package dev.fencing.harness.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.harness.checker.Verdict.Outcome;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs that are right by construction, and the same runs with one thing wrong. */
class MutationTest {

  private static final int SEEDS = 15;
  private static final int LENGTH = 3_000;

  /** Breaks something, or returns false if the run has no place for it. */
  private interface Mutation {
    boolean apply(RandomRun run, Random random);
  }

  @Test
  void runsThatAreRightAreValid() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Verdict verdict = Checker.check(new RandomRun(seed, LENGTH).run(), Thresholds.FULL);
      assertThat(verdict.outcome())
          .as("seed %d: %s", seed, verdict.text())
          .isEqualTo(Outcome.VALID);
    }
  }

  @Test
  void missingWriteIsSeen() {
    isSeenBy(
        Check.C1,
        (run, random) -> {
          int place = random.nextInt(run.log.size());
          return hasNext(run, place) && run.log.remove(place) != null;
        });
  }

  @Test
  void doubledVersionIsSeen() {
    isSeenBy(
        Check.C1,
        (run, random) -> {
          LoggedWrite write = run.log.get(random.nextInt(run.log.size()));
          return run.log.add(write);
        });
  }

  @Test
  void lostAcknowledgementIsSeen() {
    isSeenBy(
        Check.C2,
        (run, random) -> {
          LoggedWrite last = run.log.get(run.log.size() - 1);
          boolean acknowledged =
              run.ops.stream().anyMatch(op -> last.op().equals(op.op()) && op.type() == OpType.OK);
          return acknowledged && run.log.remove(last);
        });
  }

  @Test
  void acceptedRefusalIsSeen() {
    isSeenBy(
        Check.C2,
        (run, random) ->
            replace(
                run,
                random,
                op -> op.f() == OpFunction.WRITE && op.type() == OpType.OK,
                op -> op.completed(OpType.FAIL).error("SQLException: connection refused")));
  }

  @Test
  void smallerTokenIsSeen() {
    isSeenBy(
        Check.C3,
        (run, random) -> {
          int place = random.nextInt(run.log.size());
          LoggedWrite write = run.log.get(place);
          if (write.ver() == 1) {
            return false;
          }
          run.log.set(place, with(write, write.token() - 1_000_000, write.readVer(), write.old()));
          return true;
        });
  }

  @Test
  void lostUpdateIsSeen() {
    isSeenBy(
        Check.C4,
        (run, random) -> {
          int place = random.nextInt(run.log.size());
          LoggedWrite write = run.log.get(place);
          run.log.set(place, with(write, write.token(), write.readVer() - 1, write.old()));
          return write.readVer() > 0;
        });
  }

  @Test
  void brokenChainIsSeen() {
    isSeenBy(
        Check.C4,
        (run, random) -> {
          int place = random.nextInt(run.log.size());
          LoggedWrite write = run.log.get(place);
          run.log.set(place, with(write, write.token(), write.readVer(), -1L));
          return write.ver() > 1;
        });
  }

  @Test
  void writePastAReadIsSeen() {
    isSeenBy(
        Check.C5,
        (run, random) -> {
          // The holder of this version had read the one before; a smaller token takes its place.
          int place = random.nextInt(run.log.size());
          LoggedWrite write = run.log.get(place);
          run.log.set(place, with(write, write.token() - 1, write.readVer(), write.old()));
          return true;
        });
  }

  @Test
  void staleReadIsSeen() {
    isSeenBy(
        Check.C6,
        (run, random) -> {
          List<Op> reads =
              run.ops.stream()
                  .filter(op -> op.value() instanceof Row row && row.ver() > 0)
                  .toList();
          Op read = reads.get(random.nextInt(reads.size()));
          Row row = (Row) Objects.requireNonNull(read.value());
          if (!acknowledged(run, read, row.ver())) {
            return false;
          }
          Row older = new Row(row.ver() - 1, (Long) Objects.requireNonNull(row.value()) - 1);
          run.ops.set(read.index(), read.completed(OpType.OK).value(older).at(read.time()));
          return true;
        });
  }

  /** Tells whether the write of a version had been acknowledged before a read of it. */
  private static boolean acknowledged(RandomRun run, Op read, long ver) {
    return run.log.stream()
        .filter(write -> write.ver() == ver && write.resource().equals(read.resource()))
        .anyMatch(
            write ->
                run.ops.stream()
                    .anyMatch(
                        op ->
                            write.op().equals(op.op())
                                && op.type() == OpType.OK
                                && op.index() < read.index()));
  }

  @Test
  void fallenTokenIsSeen() {
    isSeenBy(
        Check.C7,
        (run, random) ->
            replace(
                run,
                random,
                op -> op.f() == OpFunction.ACQUIRE && op.type() == OpType.OK,
                op -> op.completed(OpType.OK).token(1L)));
  }

  @Test
  void falseRefusalIsSeen() {
    isSeenBy(
        Check.C8,
        (run, random) ->
            replace(
                run,
                random,
                op -> op.equals(firstRaise(run)),
                op -> op.completed(OpType.FAIL).error("StaleTokenException: stale")));
  }

  /** Nothing can have refused this one. */
  private static Op firstRaise(RandomRun run) {
    return run.ops.stream()
        .filter(op -> op.f() == OpFunction.RAISE && op.type() == OpType.OK)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void leaseThatComesBackIsSeen() {
    isSeenBy(
        Check.C9,
        (run, random) -> {
          List<Op> lost = run.ops.stream().filter(op -> Boolean.FALSE.equals(op.live())).toList();
          Op dead = lost.get(random.nextInt(lost.size()));
          for (Op op : run.ops.subList(dead.index() + 1, run.ops.size())) {
            if (Objects.equals(op.hold(), dead.hold()) && op.type() == OpType.OK) {
              run.ops.set(op.index(), op.completed(OpType.OK).live(true).at(op.time()));
              return true;
            }
          }
          return false;
        });
  }

  private static void isSeenBy(Check check, Mutation mutation) {
    int applied = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomRun run = new RandomRun(seed, LENGTH);
      if (mutation.apply(run, new Random(seed))) {
        applied++;
        Verdict verdict = Checker.check(run.run(), Thresholds.FULL);
        assertThat(verdict.failed())
            .as("seed %d: %s", seed, verdict.text())
            .extracting(Finding::check)
            .contains(check);
        assertThat(verdict.outcome()).isEqualTo(Outcome.INVALID);
      }
    }
    assertThat(applied).as("runs that could be broken so").isGreaterThan(SEEDS / 5);
  }

  private static boolean hasNext(RandomRun run, int place) {
    LoggedWrite write = run.log.get(place);
    return run.log.stream()
        .anyMatch(other -> other.key().equals(write.key()) && other.ver() == write.ver() + 1);
  }

  private static LoggedWrite with(
      LoggedWrite write, long token, long readVer, @Nullable Object old) {
    return new LoggedWrite(
        write.op(), write.resource(), write.key(), token, write.ver(), readVer, old, write.fresh());
  }

  private static boolean replace(
      RandomRun run, Random random, Predicate<Op> which, Function<Op, Op.Builder> how) {
    List<Op> found = new ArrayList<>(run.ops.stream().filter(which).toList());
    Op op = found.get(random.nextInt(found.size()));
    run.ops.set(op.index(), how.apply(op).at(op.time()));
    return true;
  }

  @Test
  void longHistoryIsJudgedInSeconds() {
    Run run = new RandomRun(7, 200_000).run();
    long start = System.nanoTime();
    Verdict verdict = Checker.check(run, Thresholds.FULL);
    System.out.printf("200,000 lines judged in %.2f s%n", (System.nanoTime() - start) / 1e9);

    assertThat(verdict.outcome()).as(verdict.text()).isEqualTo(Outcome.VALID);
  }
}
