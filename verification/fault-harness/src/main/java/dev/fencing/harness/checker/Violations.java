package dev.fencing.harness.checker;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what a check finds: counts all, keeps the first. */
final class Violations {

  private static final int KEPT = 50;

  private final Check check;
  private final List<Violation> kept = new ArrayList<>();
  private long judged;
  private long count;

  Violations(Check check) {
    this.check = check;
  }

  void judged() {
    judged++;
  }

  /**
   * @param calls those that prove it; null for one that is not known
   */
  void add(String text, @Nullable Call... calls) {
    count++;
    if (kept.size() < KEPT) {
      List<Integer> indices = new ArrayList<>();
      for (Call call : calls) {
        if (call != null) {
          call.addIndices(indices);
        }
      }
      kept.add(new Violation(check + " " + text, List.copyOf(indices)));
    }
  }

  Finding finding() {
    return finding("");
  }

  Finding finding(String note) {
    return finding(0, note);
  }

  Finding finding(long noted, String note) {
    return new Finding(check, judged, count, List.copyOf(kept), noted, note);
  }
}
