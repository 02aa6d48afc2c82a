package dev.fencing.examples.comparison.simulator;

/**
 * What became of the transactions of an arm.
 *
 * @param landed writes that the storage accepted
 * @param lost those of them that are not in the final balances
 * @param refused writes and raises that were answered with 412; each was tried again from the start
 *     under a new token
 * @param outlasted pauses that were longer than the lease
 * @param p99 from the request of the lock to the answer to its release, in microseconds
 */
record Result(Arm arm, int landed, int lost, int refused, int outlasted, long p99) {

  double lostPercent() {
    return landed == 0 ? 0 : 100.0 * lost / landed;
  }
}
