package dev.fencing.examples.comparison.report;

import static dev.fencing.examples.comparison.report.Histories.change;
import static dev.fencing.examples.comparison.report.Histories.run;
import static dev.fencing.examples.comparison.report.Histories.timed;
import static dev.fencing.examples.comparison.report.Histories.transaction;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What is said of an arm is true of it, however little or much has happened. */
class SentencesTest {

  private static final List<Transaction> ONE =
      List.of(transaction(1, 16, 1_000, Outcome.WRITTEN, 33, 10, 210, 150));
  private static final List<Change> ITS_CHANGE = List.of(change(1, 1_000, 1_016));

  @Test
  void whoLostNothingWithoutAPauseLongerThanItsLeaseSaysSo() {
    assertThat(whyNothing(Protection.LEASE, run("arm", 3_000, ONE, ITS_CHANGE, 7, 0, 0)))
        .isEqualTo(
            "arm lost nothing of 1 update: 0 of 7 pauses lasted longer than the lease of 3.00 s,"
                + " and nobody was granted the lock of another; this run proves nothing for it.");
  }

  @Test
  void whoseLockWentToAnotherWithoutSuchAPauseDoesNotSayThatNoneDid() {
    assertThat(whyNothing(Protection.LEASE, run("arm", 3_000, ONE, ITS_CHANGE, 7, 0, 2)))
        .isEqualTo(
            "arm lost nothing of 1 update: 0 of 7 pauses lasted longer than the lease of 3.00 s,"
                + " and two holders were at work at once 2 times, but none wrote over another's"
                + " write.");
  }

  @Test
  void whoLostNothingAlthoughTwoHeldTheLockSaysSo() {
    assertThat(whyNothing(Protection.LEASE, run("arm", 500, ONE, ITS_CHANGE, 7, 5, 2)))
        .isEqualTo(
            "arm lost nothing of 1 update: 5 of 7 pauses lasted longer than the lease of 500 ms,"
                + " and two holders were at work at once 2 times, but none wrote over another's"
                + " write.");
  }

  @Test
  void whoLostNothingBecauseNobodyCameSaysSo() {
    assertThat(whyNothing(Protection.LEASE, run("arm", 500, ONE, ITS_CHANGE, 7, 5, 0)))
        .endsWith("but nobody was granted the lock of a stopped holder.");
  }

  @Test
  void whoLostNothingBecauseItNoticedSaysSo() {
    List<Transaction> transactions =
        List.of(ONE.get(0), transaction(2, 5, 1_000, Outcome.LOST_LOCK));

    assertThat(whyNothing(Protection.LEASE, run("arm", 500, transactions, ITS_CHANGE, 7, 5, 2)))
        .contains("1 holder noticed in time that the lock was gone");
  }

  @Test
  void whoHasNoLockAndLostNothingSaysWhetherTwoMet() {
    assertThat(whyNothing(Protection.NONE, run("arm", 0, ONE, ITS_CHANGE, 0, 0, 0)))
        .isEqualTo(
            "arm lost nothing of 1 update: there is no lock, and yet no two transactions were at"
                + " work on one account at once.");
    assertThat(whyNothing(Protection.NONE, run("arm", 0, ONE, ITS_CHANGE, 0, 0, 1)))
        .isEqualTo(
            "arm lost nothing of 1 update: there is no lock, and yet two transactions were at work"
                + " at once 1 time, but none wrote over another's write.");
  }

  @Test
  void aLockOfTheDatabaseSaysHowLongOthersWaited() {
    List<Transaction> transactions =
        List.of(
            ONE.get(0),
            new Transaction(
                2, 0, "alice", 5, 0, 220_000_000, 1, 2, 3, 0, 1, 6, Outcome.LOST_LOCK, 0, ""));

    assertThat(whyNothing(Protection.DATABASE, run("arm", 0, transactions, ITS_CHANGE, 7, 0, 0)))
        .isEqualTo(
            "arm lost nothing of 1 update: its lock is one of the database, which does not pass it"
                + " on while its holder's connection lives: a stopped holder keeps it and the others"
                + " wait; the longest wait was 220 ms.");
  }

  @Test
  void whoComparesTokensAtTheWriteAloneAndLostNothingSaysWhatItWasSparedOf() {
    assertThat(whyNothing(Protection.CONDITIONAL, run("arm", 500, ONE, ITS_CHANGE, 7, 5, 2)))
        .isEqualTo(
            "arm lost nothing of 1 update: 0 late writes refused, and here none came between the"
                + " read and the write of the next holder, where nothing would have refused it (5"
                + " pauses longer than the lease).");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "FENCED")
  void whereNothingLandedNothingIsClaimed(Protection protection) {
    assertThat(whyNothing(protection, run("arm", List.of(), List.of())))
        .isEqualTo("arm lost nothing, because no write landed; this run proves nothing for it.");
  }

  @Test
  void whereNothingLandedNothingIsHeldAgainstWhatWasPublished() {
    ArmRun nothing = run("arm", List.of(), List.of());

    assertThat(differences(result(Protection.LEASE, Published.REDLOCK, nothing)))
        .first()
        .isEqualTo(
            "arm: no write landed, so there is nothing to hold against the published 4.2 %.");
  }

  @Test
  void aShareIsMoreOrLessOrTheSameAsThePublishedOne() {
    List<String> differences = Sample.report().differences();

    // 9.5 - 14.8, 7.0 - 4.2, 0 - 0.
    assertThat(differences.get(0)).contains("(19 of 200 landed updates), 5.30 points fewer. ");
    assertThat(differences.get(2)).contains("(14 of 200 landed updates), 2.80 points more. ");
    assertThat(differences.get(4))
        .contains(
            "0.00 % were measured (0 of 191 landed updates), much the same.",
            "9 stale writes tried to get past the database, which refused all of them.");
  }

  @Test
  void aFenceThatNobodyCameAgainstHasRefusedNothing() {
    assertThat(
            differences(result(Protection.FENCED, Published.FENCED, run("arm", ONE, ITS_CHANGE))))
        .first()
        .asString()
        .endsWith("much the same. No stale write came, so the fence had nothing to refuse.");
  }

  @Test
  void aLeaseThatNoPauseOutlastedSaysSo() {
    ArmRun run = run("arm", 3_000, ONE, ITS_CHANGE, 7, 0, 0);

    assertThat(differences(result(Protection.LEASE, Published.REDIS, run)))
        .first()
        .asString()
        .endsWith("No pause lasted longer than the lease of 3.00 s here.");
  }

  @Test
  void theLatencyBesideAPublishedOneSaysWhatTheNetworkIs() {
    ArmRun loopback = run("arm", List.of(timed(1, 1, 1, 1, 1)), List.of());
    ArmRun delayed = run("arm", List.of(timed(1, 10, 4, 4, 2)), List.of());

    assertThat(
            differences(
                new ArmResult(
                    Protection.LEASE,
                    Published.REDLOCK,
                    List.of(run("arm", ONE, ITS_CHANGE)),
                    loopback,
                    delayed)))
        .last()
        .isEqualTo(
            "arm: a p99 of 38.0 ms was published, without saying over which network; measured on"
                + " loopback: 4.00 ms; with every server behind the delaying proxy: 20.0 ms. The"
                + " proxy adds 16.0 ms to the median of 4.00 ms, in round trips that follow one"
                + " another.");
  }

  private static List<String> differences(ArmResult result) {
    return new Report(Map.of(), List.of(result), Map.of()).differences();
  }

  private static String whyNothing(Protection protection, ArmRun run) {
    List<String> said =
        new Report(Map.of(), List.of(result(protection, null, run)), Map.of()).nothingLost();
    assertThat(said).hasSize(1);
    return said.get(0);
  }

  private static ArmResult result(
      Protection protection, @Nullable Published published, ArmRun contended) {
    return new ArmResult(protection, published, List.of(contended), null, null);
  }
}
