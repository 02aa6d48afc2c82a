package dev.fencing.examples.dropin.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever differs from what is documented is found. */
class FindingsTest {

  private static final String REFUSED = "refused StaleTokenException: stale";

  @ParameterizedTest
  @CsvSource({
    "10, 10, 4, 0, 0, true",
    "10, 9, 4, 0, 0, false", // an acknowledged order is not there
    "10, 10, 1, 0, 0, false", // one only began when the other had ended
    "10, 10, 4, 1, 0, false", // one has read before the one in front of it wrote
    "10, 10, 4, 0, 1, false" // the shelf has missed an order
  })
  void versionsThatWorkTogetherExcludeEachOtherTakeTurnsAndLoseNothing(
      int acknowledged, int orders, int handovers, int outOfTurn, int lost, boolean right) {
    var audit = new Audit(orders, handovers, outOfTurn, 90, 90 + lost);

    assertThat(
            new SideBySide("1", List.of("between", "before"), acknowledged, audit).asDocumented())
        .isEqualTo(right);
  }

  @Test
  void aSingleInstanceHandsOverToNoOther() {
    var audit = new Audit(10, 0, 0, 90, 90);

    assertThat(new SideBySide("0", List.of("after"), 10, audit).asDocumented()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "true, " + REFUSED + ", 5, 0, 0, true",
    "true, shipped, 6, 1, 5, false", // it has landed
    "true, " + REFUSED + ", 6, 1, 5, false", // it has landed although it was refused
    "true, " + REFUSED + ", 5, 0, 5, false",
    "false, shipped, 6, 1, 5, true",
    "false, shipped, 6, 1, 4, false",
    "false, shipped, 6, 0, 0, false", // nothing was lost, so nothing is shown
    "false, failed SQLException: gone, 5, 0, 0, false",
    "false, " + REFUSED + ", 5, 0, 0, false"
  })
  void aLateWriteIsRefusedOrUndoesWhatTheSuccessorWrote(
      boolean refusal, String said, int orders, int outOfTurn, int lost, boolean right) {
    var audit = new Audit(orders, 1, outOfTurn, 90, 90 + lost);

    assertThat(new LateWrite("4", "after", "after", 5, refusal, said, audit).asDocumented())
        .isEqualTo(right);
  }

  @Test
  void oneWrongFindingIsMarkedAndMakesTheWholeWrong() {
    Findings findings = new Findings();
    findings.add(new SideBySide("0", List.of("before"), 10, new Audit(10, 0, 0, 90, 90)));
    assertThat(findings.asDocumented()).isTrue();
    findings.add(
        new LateWrite("4", "after", "after", 5, true, "shipped", new Audit(6, 0, 1, 94, 99)));

    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream printer = new PrintStream(out, true, StandardCharsets.UTF_8);
    findings.printRows(printer);
    findings.printVerdict(printer);

    assertThat(findings.asDocumented()).isFalse();
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .filteredOn(line -> line.contains("NOT AS DOCUMENTED"))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("4 ").contains("LANDED"),
            line -> assertThat(line).isEqualTo("1 of 2 findings are NOT AS DOCUMENTED."));
  }
}
