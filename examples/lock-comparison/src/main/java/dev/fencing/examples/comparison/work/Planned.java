package dev.fencing.examples.comparison.work;

/**
 * A transaction of the schedule.
 *
 * @param number its place
 * @param row what it writes
 * @param amount what it adds, unlike that of every other transaction
 * @param pause how long its process is stopped, in leases of the arm; 0 not at all
 * @param beforeCheck whether it is stopped before the client asks itself whether it still has the
 *     lock, or after that, just before the write
 * @param fault whether a server fails during the pause, in arms in which one does
 */
public record Planned(
    int number, String row, long amount, double pause, boolean beforeCheck, boolean fault) {

  /** The same without a pause, to be tried again. */
  Planned withoutPause() {
    return new Planned(number, row, amount, 0, false, false);
  }
}
