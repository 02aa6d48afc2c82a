package dev.fencing.examples.comparison.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Workload;
import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.report.LostUpdates;
import dev.fencing.examples.comparison.server.Servers;
import dev.fencing.examples.comparison.work.Crew;
import dev.fencing.examples.comparison.work.Planned;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every arm, with one holder that is stopped while another one comes. */
@Timeout(120)
@Tag("thorough")
class ArmsTest {

  private static final int WORKERS = 2;
  private static final Duration LEASE = Duration.ofMillis(600);
  private static final Duration LONG_LEASE = Duration.ofSeconds(30);

  private static Servers servers;
  private static Stage stage;
  private static Stage patient;
  private static Crew crew;

  @BeforeAll
  static void start() throws Exception {
    servers = Servers.open();
    String jdbcUrl = Stage.Database.POSTGRESQL.start(servers);
    stage = new Stage(servers, Workload.ACCOUNTS, jdbcUrl, LEASE, Duration.ZERO);
    patient = new Stage(servers, Workload.ACCOUNTS, jdbcUrl, LONG_LEASE, Duration.ZERO);
    crew = Crew.start(servers, WORKERS);
  }

  @AfterAll
  static void stop() throws Exception {
    crew.close();
    patient.close();
    stage.close();
    servers.close();
  }

  private static Stream<Arm> of(Arm.Kind kind) {
    return Arrays.stream(Arm.values()).filter(arm -> arm.kind() == kind);
  }

  static Stream<Arm> leases() {
    return of(Arm.Kind.BARE);
  }

  static Stream<Arm> fenced() {
    return of(Arm.Kind.FENCED);
  }

  static Stream<Arm> conditional() {
    return of(Arm.Kind.CONDITIONAL);
  }

  static Stream<Arm> locksOfTheDatabase() {
    return of(Arm.Kind.DATABASE_LOCK);
  }

  static Stream<Arm> fencedAndConditional() {
    return Stream.concat(fenced(), conditional());
  }

  @ParameterizedTest
  @MethodSource("leases")
  void aHolderThatIsStoppedPastItsLeaseOverwritesItsSuccessor(Arm arm) throws Exception {
    ArmRun run =
        run(stage, arm, Encounter.schedule(Workload.ACCOUNTS, false), Encounter::afterTheWrite);
    LostUpdates found = LostUpdates.of(run);
    assertThat(found.inconsistencies()).isEmpty();
    assertThat(found.losses()).hasSize(1);
    assertThat(found.losses().get(0).lost().number()).isEqualTo(Encounter.SECOND);
    assertThat(found.losses().get(0).by().number()).isEqualTo(Encounter.FIRST);
    assertThat(run.overlaps()).isEqualTo(1);
    assertThat(run.pauses()).isEqualTo(1);
    assertThat(run.pausesLongerThanLease()).isEqualTo(run.leaseMillis() == 0 ? 0 : 1);
  }

  @ParameterizedTest
  @MethodSource("fencedAndConditional")
  void aHolderThatWritesAfterItsSuccessorIsRefusedAndTriesAgain(Arm arm) throws Exception {
    ArmRun run =
        run(stage, arm, Encounter.schedule(Workload.ACCOUNTS, false), Encounter::afterTheWrite);
    assertNothingIsLost(run);
    assertThat(outcomes(run, Encounter.FIRST)).containsExactly(Outcome.REFUSED, Outcome.WRITTEN);
    assertThat(outcomes(run, Encounter.SECOND)).containsExactly(Outcome.WRITTEN);
    assertThat(run.overlaps()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("fenced")
  void aHolderThatWritesBeforeItsSuccessorDoesIsRefusedWhereTheReadHasClaimed(Arm arm)
      throws Exception {
    ArmRun run =
        run(
            stage,
            arm,
            Encounter.scheduleOfTwoPauses(Workload.ACCOUNTS),
            Encounter::betweenReadAndWrite);
    assertNothingIsLost(run);
    assertThat(outcomes(run, Encounter.FIRST)).first().isEqualTo(Outcome.REFUSED);
  }

  @ParameterizedTest
  @MethodSource("conditional")
  void aHolderThatWritesBeforeItsSuccessorDoesIsOverwrittenWhereNothingIsClaimed(Arm arm)
      throws Exception {
    ArmRun run =
        run(
            stage,
            arm,
            Encounter.scheduleOfTwoPauses(Workload.ACCOUNTS),
            Encounter::betweenReadAndWrite);
    assertThat(outcomes(run, Encounter.FIRST)).containsExactly(Outcome.WRITTEN);
    assertThat(LostUpdates.of(run).losses()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("locksOfTheDatabase")
  void aLockOfTheDatabaseKeepsEverybodyWaitingForAStoppedHolder(Arm arm) throws Exception {
    ArmRun run = run(stage, arm, Encounter.schedule(Workload.ACCOUNTS, false), Encounter::inTime);
    assertNothingIsLost(run);
    assertThat(run.overlaps()).isZero();
    Transaction first = attempts(run, Encounter.FIRST).get(0);
    Transaction second = attempts(run, Encounter.SECOND).get(0);
    assertThat(second.requestedAt()).isLessThan(first.endedAt());
    assertThat(second.acquiredAt()).isGreaterThan(first.endedAt());
  }

  @ParameterizedTest
  @EnumSource(names = {"REDIS_FAILOVER", "REDLOCK_CLOCK_JUMP"})
  void aServerThatFailsGivesTheLockToASecondHolderLongBeforeTheLeaseIsOver(Arm arm)
      throws Exception {
    List<Planned> schedule =
        Encounter.schedule(Workload.ACCOUNTS, true).stream().map(ArmsTest::soon).toList();
    ArmRun run = run(patient, arm, schedule, Encounter::afterTheWrite);
    assertThat(run.pauses()).isEqualTo(1);
    assertThat(run.pausesLongerThanLease()).isZero();
    assertThat(run.overlaps()).isEqualTo(1);
    assertThat(LostUpdates.of(run).losses()).hasSize(1);
  }

  /** It waits for the second transaction in any case. */
  private static Planned soon(Planned planned) {
    return new Planned(
        planned.number(),
        planned.row(),
        planned.amount(),
        planned.pause() > 0 ? 0.001 : 0,
        planned.beforeCheck(),
        planned.fault());
  }

  @Test
  void aClientThatAsksAfterThePauseNoticesThatItsLeaseIsOver() throws Exception {
    List<Planned> schedule =
        Encounter.schedule(Workload.ACCOUNTS, false).stream()
            .map(
                each ->
                    new Planned(
                        each.number(), each.row(), each.amount(), each.pause(), true, false))
            .toList();
    ArmRun run = run(stage, Arm.REDLOCK, schedule, Encounter::afterTheWrite);
    assertNothingIsLost(run);
    assertThat(outcomes(run, Encounter.FIRST)).containsExactly(Outcome.LOST_LOCK, Outcome.WRITTEN);
  }

  private static ArmRun run(Stage stage, Arm arm, List<Planned> schedule, Contended.Around around)
      throws Exception {
    Assumptions.assumeTrue(
        arm.need() != Arm.Need.ETCD || Servers.etcdProgram().isPresent(),
        "no program \"etcd\" is on the PATH");
    return new Contended(stage, 1, WORKERS).run(crew, arm, schedule, around);
  }

  private static void assertNothingIsLost(ArmRun run) {
    LostUpdates found = LostUpdates.of(run);
    assertThat(found.inconsistencies()).isEmpty();
    assertThat(found.losses()).isEmpty();
    assertThat(found.landed()).isEqualTo(2);
  }

  private static List<Transaction> attempts(ArmRun run, int number) {
    return run.transactions().stream().filter(each -> each.number() == number).toList();
  }

  private static List<Outcome> outcomes(ArmRun run, int number) {
    return attempts(run, number).stream().map(Transaction::outcome).toList();
  }
}
