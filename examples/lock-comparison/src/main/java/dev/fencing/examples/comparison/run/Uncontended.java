package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.ArmRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * One client that nobody is in the way of and that does not think: what a lock and a write cost, on
 * loopback and with every server behind a line on which an answer takes two milliseconds.
 *
 * <p>The arms take turns, one transaction each, in another order every time: whatever else the
 * machine does at a moment befalls all of them alike.
 */
final class Uncontended {

  private static final Duration ONE_WAY = Duration.ofMillis(1);
  private static final int MOST_WARM_UPS = 100;

  /** A pool asks a connection that was idle for 500 ms whether it lives; turns may be longer. */
  private static final String POOL_TRUSTS_MILLIS = "com.zaxxer.hikari.aliveBypassWindowMs";

  private final Stage stage;
  private final int rounds;
  private final int warmUps;

  Uncontended(Stage stage, int rounds) {
    this.stage = stage;
    this.rounds = rounds;
    this.warmUps = Math.min(MOST_WARM_UPS, rounds);
  }

  Map<Arm, ArmRun> onLoopback(List<Arm> arms) throws Exception {
    return measure(arms, Duration.ZERO);
  }

  Map<Arm, ArmRun> farAway(List<Arm> arms) throws Exception {
    return measure(arms, ONE_WAY);
  }

  private Map<Arm, ArmRun> measure(List<Arm> arms, Duration oneWay) throws Exception {
    System.setProperty(POOL_TRUSTS_MILLIS, "60000");
    stage.tables().create(arms.size(), arms.size());
    List<Lane> lanes = new ArrayList<>();
    try {
      for (Arm arm : arms) {
        Lane lane = new Lane(arm, stage, lanes.size());
        lanes.add(lane);
        lane.connect(oneWay, warmUps);
      }
      inTurn(lanes);
      Map<Arm, ArmRun> runs = new LinkedHashMap<>();
      for (Lane lane : lanes) {
        runs.put(lane.arm(), lane.toRun());
      }
      return runs;
    } finally {
      for (Lane lane : lanes) {
        lane.close();
      }
    }
  }

  private void inTurn(List<Lane> lanes) throws Exception {
    List<Lane> order = new ArrayList<>(lanes);
    Random random = new Random(rounds);
    for (int number = 1; number <= rounds; number++) {
      Collections.shuffle(order, random);
      for (Lane lane : order) {
        lane.transact(number);
      }
    }
  }
}
