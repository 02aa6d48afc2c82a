package dev.fencing.examples.dropin.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What the switch has shown, scene by scene. */
final class Findings {

  private final List<SideBySide> sideBySide = new ArrayList<>();
  private final List<LateWrite> lateWrites = new ArrayList<>();

  void add(SideBySide finding) {
    sideBySide.add(finding);
  }

  void add(LateWrite finding) {
    lateWrites.add(finding);
  }

  /** Whether every scene has gone as docs/rolling-switch.md says. */
  boolean asDocumented() {
    return wrong() == 0;
  }

  private long wrong() {
    return sideBySide.stream().filter(finding -> !finding.asDocumented()).count()
        + lateWrites.stream().filter(finding -> !finding.asDocumented()).count();
  }

  /** Prints every scene, as a row. */
  void printRows(PrintStream out) {
    out.println();
    out.println("Side by side on one lock path");
    out.println("step         versions                 orders handovers out of turn  pieces lost");
    sideBySide.forEach(finding -> out.println(finding.row() + mark(finding.asDocumented())));
    out.println();
    out.println("A write that ought not to land");
    out.println("step         who, and its successor   the write  orders  pieces lost");
    lateWrites.forEach(finding -> out.println(finding.row() + mark(finding.asDocumented())));
    out.println();
  }

  void printVerdict(PrintStream out) {
    int all = sideBySide.size() + lateWrites.size();
    out.println(
        asDocumented()
            ? "All %d findings are as documented.".formatted(all)
            : "%d of %d findings are NOT AS DOCUMENTED.".formatted(wrong(), all));
  }

  private static String mark(boolean asDocumented) {
    return asDocumented ? "" : "  NOT AS DOCUMENTED";
  }
}
