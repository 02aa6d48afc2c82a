package dev.fencing.harness.worker;

/**
 * Which worker this is.
 *
 * @param worker its number
 * @param incarnation how often it was started before
 * @param workers how many there are
 */
record WorkerId(int worker, int incarnation, int workers) {

  private static final int PROCESSES_OF_AN_INCARNATION = 10_000;

  /** The process number that the thread of a lock begins with; no other thread ever has it. */
  int firstProcess(int lock) {
    return worker * Order.LOCKS + lock + processStep() * PROCESSES_OF_AN_INCARNATION * incarnation;
  }

  int processStep() {
    return workers * Order.LOCKS;
  }
}
