package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.stage.Clocks;
import dev.fencing.harness.worker.Order;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Which faults are drawn, and how often.
 *
 * @param holders weights of the faults that are aimed at the holder of a lock
 * @param marks where it is paused
 * @param untils when a pause at a mark ends
 * @param randomShare the share of pauses that come at any time, in percent
 * @param shortest the shortest pause
 * @param longest the longest
 * @param gap the time between two faults on one lock; half of it to one and a half
 * @param servers weights of the faults that are aimed at servers
 * @param serverGap as for gap
 * @param locks how many locks have faults of their own at the same time
 */
public record Mix(
    Map<FaultKind, Integer> holders,
    List<Mark> marks,
    List<Until> untils,
    int randomShare,
    Duration shortest,
    Duration longest,
    Duration gap,
    Map<FaultKind, Integer> servers,
    Duration serverGap,
    int locks) {

  private static final Duration GAP = Duration.ofMillis(300);

  /** Pauses at one mark, and nothing else. */
  public static Mix pauses(Mark mark, Until until) {
    return only(FaultKind.PAUSE_HOLDER, List.of(mark), until);
  }

  /** One kind of fault, and nothing else. */
  public static Mix only(FaultKind kind, List<Mark> marks, Until until) {
    return new Mix(
        Map.of(kind, 1),
        marks,
        List.of(until),
        0,
        Duration.ofMillis(2_300),
        Duration.ofMillis(2_800),
        GAP,
        Map.of(),
        Duration.ZERO,
        Order.LOCKS);
  }

  /**
   * Pauses of all kinds that outlast the session: as many old holders as possible in little time.
   *
   * @param inFlight whether COMMITs are held back, too
   */
  public static Mix quick(boolean inFlight) {
    Map<FaultKind, Integer> holders = new EnumMap<>(FaultKind.class);
    holders.put(FaultKind.PAUSE_HOLDER, 3);
    if (inFlight) {
      holders.put(FaultKind.WRITE_IN_FLIGHT, 1);
    }
    return new Mix(
        holders,
        List.of(Mark.AFTER_ACQUIRE, Mark.AFTER_RAISE, Mark.AFTER_READ, Mark.BEFORE_COMMIT),
        List.of(Until.TIME, Until.NEXT_RAISED, Until.NEXT_READ, Until.NEXT_READ),
        25,
        Duration.ofMillis(1_600),
        Duration.ofMillis(2_500),
        Duration.ofMillis(150),
        Map.of(),
        Duration.ZERO,
        Order.LOCKS);
  }

  /**
   * Everything.
   *
   * @param fence whether the arm has a fence that a zombie and an open transaction keep busy; in
   *     row mode there is none, and a write is one statement, which has no middle to be stopped in
   */
  public static Mix everything(boolean fence) {
    Map<FaultKind, Integer> holders = new EnumMap<>(FaultKind.class);
    holders.put(FaultKind.PAUSE_HOLDER, 40);
    holders.put(FaultKind.WRITE_IN_FLIGHT, 6);
    holders.put(FaultKind.CUT_ZOOKEEPER, 5);
    holders.put(FaultKind.CUT_DATABASE, 4);
    holders.put(FaultKind.LOST_CREATE_REPLY, 3);
    holders.put(FaultKind.KILL_HOLDER, 1);
    if (Clocks.canBeSet()) {
      holders.put(FaultKind.CLOCK_JUMP, 2);
    }
    if (fence) {
      holders.put(FaultKind.PAUSE_BACKEND, 3);
      holders.put(FaultKind.TERMINATE_BACKEND, 3);
      holders.put(FaultKind.LIVE_ZOMBIE, 1);
      holders.put(FaultKind.OPEN_TRANSACTION, 1);
    }
    return new Mix(
        holders,
        List.of(Mark.AFTER_ACQUIRE, Mark.AFTER_RAISE, Mark.AFTER_READ, Mark.BEFORE_COMMIT),
        List.of(Until.TIME, Until.TIME, Until.NEXT_ACQUIRED, Until.NEXT_RAISED, Until.NEXT_READ),
        50,
        Duration.ofMillis(300),
        Duration.ofMillis(4_000),
        GAP,
        Map.of(
            FaultKind.KILL_LEADER, 3,
            FaultKind.FREEZE_LEADER, 3,
            FaultKind.LOST_MAJORITY, 2,
            FaultKind.RESTART_DATABASE, 3),
        Duration.ofSeconds(25),
        Order.LOCKS);
  }

  /** The same with pauses only where nothing is written. */
  public static Mix ofLocks() {
    return new Mix(
        Map.of(
            FaultKind.PAUSE_HOLDER, 40,
            FaultKind.CUT_ZOOKEEPER, 6,
            FaultKind.LOST_CREATE_REPLY, 4,
            FaultKind.KILL_HOLDER, 1),
        List.of(Mark.AFTER_ACQUIRE, Mark.AFTER_READ),
        List.of(Until.TIME, Until.NEXT_ACQUIRED, Until.NEXT_READ),
        50,
        Duration.ofMillis(300),
        Duration.ofMillis(4_000),
        GAP,
        Map.of(FaultKind.KILL_LEADER, 1, FaultKind.FREEZE_LEADER, 1, FaultKind.LOST_MAJORITY, 1),
        Duration.ofSeconds(25),
        Order.LOCKS);
  }

  /** One long pause at a time, so that how long a take-over lasts is not another fault's doing. */
  public static Mix calm() {
    Mix pauses = pauses(Mark.AFTER_READ, Until.TIME);
    return new Mix(
        pauses.holders,
        pauses.marks,
        pauses.untils,
        pauses.randomShare,
        pauses.shortest,
        pauses.longest,
        pauses.gap,
        pauses.servers,
        pauses.serverGap,
        1);
  }

  /** This one with the ensemble emptied from time to time, and no other fault on a server. */
  public Mix withTokensGoingBack() {
    return new Mix(
        holders,
        marks,
        untils,
        randomShare,
        shortest,
        longest,
        gap,
        Map.of(FaultKind.TOKEN_GOES_BACK, 1),
        Duration.ofSeconds(20),
        locks);
  }

  /** This one with more transactions that stay open, and deadlocks on a MariaDB of their own. */
  public Mix withOpenTransactions() {
    Map<FaultKind, Integer> more = new EnumMap<>(holders);
    more.put(FaultKind.OPEN_TRANSACTION, 4);
    return new Mix(
        more,
        marks,
        untils,
        randomShare,
        shortest,
        longest,
        gap,
        Map.of(FaultKind.DEADLOCK_VICTIM, 1),
        Duration.ofSeconds(20),
        locks);
  }
}
