package dev.fencing.examples.comparison.work;

import dev.fencing.examples.comparison.arm.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * How a schedule is drawn: from the seed alone, so that it is the same for every arm.
 *
 * @param rows how many rows are written
 * @param probability that a transaction is stopped
 * @param shortest pause, in leases
 * @param longest pause, in leases
 */
public record Schedule(
    long seed,
    Workload workload,
    int transactions,
    int rows,
    double probability,
    double shortest,
    double longest) {

  /** Few beside the amounts there are, so that one that is free is soon drawn. */
  public static final int MOST_TRANSACTIONS = 100_000;

  private static final int LARGEST_AMOUNT = 1_000_000;
  private static final int PAUSES_A_FAULT = 5;

  /** Draws it. */
  public List<Planned> draw() {
    Random random = new Random(seed);
    Set<Long> amounts = new HashSet<>();
    List<Planned> schedule = new ArrayList<>();
    int pauses = 0;
    for (int number = 1; number <= transactions; number++) {
      long amount;
      do {
        amount = 1L + random.nextInt(LARGEST_AMOUNT);
      } while (!amounts.add(amount));
      String row = workload.row(random.nextInt(rows));
      boolean stopped = random.nextDouble() < probability;
      double length = shortest + random.nextDouble() * (longest - shortest);
      boolean beforeCheck = random.nextBoolean();
      pauses += stopped ? 1 : 0;
      schedule.add(
          new Planned(
              number,
              row,
              amount * workload.sign(),
              stopped ? length : 0,
              beforeCheck,
              stopped && pauses % PAUSES_A_FAULT == 0));
    }
    return List.copyOf(schedule);
  }
}
