package dev.fencing.harness.history;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run left behind.
 *
 * @param history the operations of all workers by time; the index of each is its place
 * @param log the writes that the database accepted, in any order; null if it could not be asked
 * @param faults what was planned
 * @param end null if the run did not get to its end
 * @param torn lines that were cut off when their writer was killed, and dropped
 */
public record Run(
    List<Op> history,
    @Nullable List<LoggedWrite> log,
    List<Fault> faults,
    @Nullable RunEnd end,
    int torn) {

  /** Copies the lists, and numbers the operations. */
  public Run {
    List<Op> numbered = new ArrayList<>(history.size());
    history.forEach(op -> numbered.add(op.at(numbered.size())));
    history = List.copyOf(numbered);
    log = log == null ? null : List.copyOf(log);
    faults = List.copyOf(faults);
  }
}
