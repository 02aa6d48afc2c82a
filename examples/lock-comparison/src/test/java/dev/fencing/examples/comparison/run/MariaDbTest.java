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
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Coupons of a stock in MariaDB: the same statements, and what differs between the databases. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
@Tag("thorough")
class MariaDbTest {

  private static final int WORKERS = 2;

  private static Servers servers;
  private static Stage stage;
  private static Crew crew;

  @BeforeAll
  static void start() throws Exception {
    servers = Servers.open();
    stage =
        new Stage(
            servers,
            Workload.COUPONS,
            Stage.Database.MARIADB.start(servers),
            Duration.ofMillis(600),
            Duration.ZERO);
    crew = Crew.start(servers, WORKERS);
  }

  @AfterAll
  static void stop() throws Exception {
    crew.close();
    stage.close();
    servers.close();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"FENCED_GUARD", "CONDITIONAL_STRICT", "CONDITIONAL_NON_STRICT", "SEQUENCE_ROW"})
  void refusesAHolderThatWritesAfterItsSuccessor(Arm arm) throws Exception {
    ArmRun run = run(arm, Encounter::afterTheWrite);
    assertNothingIsLost(run);
    assertThat(run.transactions())
        .filteredOn(each -> each.number() == Encounter.FIRST)
        .extracting(Transaction::outcome)
        .containsExactly(Outcome.REFUSED, Outcome.WRITTEN);
  }

  @ParameterizedTest
  @EnumSource(names = {"ADVISORY_LOCK", "SELECT_FOR_UPDATE"})
  void keepsEverybodyWaitingForAStoppedHolderOfItsOwnLocks(Arm arm) throws Exception {
    ArmRun run = run(arm, Encounter::inTime);
    assertNothingIsLost(run);
    assertThat(run.overlaps()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = "REDIS_SET_NX")
  void takesTheLateWriteOfAHolderWithoutAFence(Arm arm) throws Exception {
    assertThat(LostUpdates.of(run(arm, Encounter::afterTheWrite)).losses()).hasSize(1);
  }

  private static ArmRun run(Arm arm, Contended.Around around) throws Exception {
    List<Planned> schedule = Encounter.schedule(Workload.COUPONS, false);
    return new Contended(stage, 1, WORKERS).run(crew, arm, schedule, around);
  }

  private static void assertNothingIsLost(ArmRun run) {
    LostUpdates found = LostUpdates.of(run);
    assertThat(found.inconsistencies()).isEmpty();
    assertThat(found.losses()).isEmpty();
    assertThat(found.landed()).isEqualTo(2);
  }
}
