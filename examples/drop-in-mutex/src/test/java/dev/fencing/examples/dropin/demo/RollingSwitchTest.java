package dev.fencing.examples.dropin.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/rolling-switch.md, played once with real processes and servers; then what it has shown. */
@Tag("thorough")
class RollingSwitchTest {

  private static Run run;

  @BeforeAll
  static void play() {
    run = Run.of("--orders", "5");
  }

  @Test
  void everythingIsAsDocumentedAndNoProcessIsLeft() {
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out()).endsWith("All 10 findings are as documented.\n");
    assertThat(ProcessHandle.current().descendants())
        .noneMatch(child -> child.info().commandLine().orElse("").contains("fencing-demo-"));
  }

  @Test
  void inEveryStepOldAndNewExcludeEachOtherTakeTurnsAndLoseNothing() {
    // Step, versions, orders, handovers between instances, out of turn, lost.
    assertThat(rows(".* \\d+ +\\d+ +\\d+ +\\d+"))
        .satisfiesExactly(
            row -> assertThat(row).matches("0 before, before \\d+ (?:[2-9]|\\d{2,}) 0 0"),
            row -> assertThat(row).matches("1 between, before \\d+ (?:[2-9]|\\d{2,}) 0 0"),
            row -> assertThat(row).matches("3 after, before \\d+ (?:[2-9]|\\d{2,}) 0 0"),
            row -> assertThat(row).matches("enforced after \\d+ 0 0 0"));
  }

  @Test
  void aFrozenOldInstanceUndoesItsSuccessorsWorkEvenIfThatIsFenced() {
    assertThat(rows(".*LANDED.*"))
        .contains(
            "0 before, then before LANDED 5 5",
            "1 between, then between LANDED 5 5",
            "3 between, then after LANDED 5 5");
  }

  @Test
  void aFrozenFencedInstanceIsRefusedBehindAFencedSuccessorAndOnlyThere() {
    assertThat(rows("4.*, then .*"))
        .containsExactly(
            "4 after, then after refused 5 0", "4, not yet after, then before LANDED 5 5");
    assertThat(run.out())
        .containsPattern(
            "app-2-after writes: 9,995 pieces on the shelf, 9,995 by the orders; it says: refused"
                + " StaleTokenException: stale token for resource \"shelf\"");
  }

  @Test
  void onceEnforcedTheWriteOfAForgottenOldInstanceIsRefusedByTheDatabase() {
    assertThat(rows("enforced.*, then .*"))
        .containsExactly("enforced before, then nobody refused 0 0");
    assertThat(run.out())
        .containsPattern(
            "app-3-before writes: .*; it says: refused PSQLException: ERROR: INSERT on table"
                + " public.shipment refused: resource \"shelf\" guards it");
  }

  /** The rows of the tables at the end that match, with single spaces. */
  private static List<String> rows(String regex) {
    Pattern pattern = Pattern.compile(regex);
    return run.out()
        .lines()
        .dropWhile(line -> !line.startsWith("Side by side"))
        .filter(line -> pattern.matcher(line).matches())
        .map(line -> line.replaceAll(" +", " "))
        .toList();
  }
}
