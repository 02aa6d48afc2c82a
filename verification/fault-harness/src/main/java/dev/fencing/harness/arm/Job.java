package dev.fencing.harness.arm;

import dev.fencing.harness.history.Workload;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;

/**
 * What one hold is to do.
 *
 * @param database the worker's connections to the database, through its proxy
 * @param resource the lock, and the fence of all its rows unless each has its own
 * @param grant the hold
 * @param reads the keys of the rows that are read, sorted
 * @param writes those of them that are written, sorted
 * @param workload what is computed
 * @param random for choices between several right ways
 */
public record Job(
    DataSource database,
    String resource,
    Grant grant,
    List<String> reads,
    List<String> writes,
    Workload workload,
    Random random) {

  boolean fencePerRow() {
    return workload == Workload.BANK_FENCE_PER_ROW;
  }
}
