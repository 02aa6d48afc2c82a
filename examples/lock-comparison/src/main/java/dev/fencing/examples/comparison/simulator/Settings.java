package dev.fencing.examples.comparison.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What is simulated; times are microseconds.
 *
 * @param pauseShare how many of the transactions are paused between their read and their write
 * @param roundTrip how long a request and its answer take on average, to any server
 */
record Settings(
    long seed,
    int transactions,
    int clients,
    int accounts,
    double pauseShare,
    long shortestPause,
    long longestPause,
    long lease,
    long roundTrip) {

  private static final long SECOND = 1_000_000;

  static Settings standard() {
    return new Settings(2, 1_000, 8, 4, 0.1, SECOND, 5 * SECOND, 3 * SECOND, 1_000);
  }

  Settings withSeed(long other) {
    return new Settings(
        other,
        transactions,
        clients,
        accounts,
        pauseShare,
        shortestPause,
        longestPause,
        lease,
        roundTrip);
  }

  Settings withTransactions(int number) {
    return new Settings(
        seed, number, clients, accounts, pauseShare, shortestPause, longestPause, lease, roundTrip);
  }

  Settings withPauseShare(double share) {
    return new Settings(
        seed,
        transactions,
        clients,
        accounts,
        share,
        shortestPause,
        longestPause,
        lease,
        roundTrip);
  }

  /** One client that never stops. */
  Settings alone() {
    return new Settings(
        seed, transactions, 1, accounts, 0, shortestPause, longestPause, lease, roundTrip);
  }

  /** What each transaction does; the same for every arm. */
  List<Planned> schedule() {
    Random random = new Random(seed);
    List<Planned> schedule = new ArrayList<>();
    for (int number = 1; number <= transactions; number++) {
      String account = "account-" + random.nextInt(accounts);
      long think = random.nextInt(4_000);
      boolean pauses = random.nextDouble() < pauseShare;
      long pause = shortestPause + (long) ((longestPause - shortestPause) * random.nextDouble());
      schedule.add(new Planned(number, account, think, pauses ? pause : 0));
    }
    return schedule;
  }

  /**
   * A transaction; it adds its number to the balance.
   *
   * @param pause 0 if it is not paused
   */
  record Planned(int number, String account, long think, long pause) {}
}
