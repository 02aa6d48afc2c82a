package dev.fencing.harness.arm;

import java.util.List;

/** Mutant: a fence a row, and only what will be written is raised, not what is only read. */
final class FenceOfWrittenRows extends HandWritten {

  FenceOfWrittenRows(Job job) {
    super(job);
  }

  @Override
  List<String> fences() {
    return job.writes();
  }
}
