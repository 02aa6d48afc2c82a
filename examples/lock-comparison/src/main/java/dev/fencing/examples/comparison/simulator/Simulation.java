package dev.fencing.examples.comparison.simulator;

import dev.fencing.examples.comparison.simulator.Settings.Planned;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The world of one arm: its servers, the network between, and what the clients have still to do.
 */
final class Simulation {

  private final Arm arm;
  private final Settings settings;
  private final VirtualTime time = new VirtualTime();
  private final Random network;
  private final Queue<Planned> schedule;
  private final List<LeaseNode> nodes = new ArrayList<>();
  private final TokenIssuer issuer = new TokenIssuer();
  private final ValidatedStorage<Version> storage = new ValidatedStorage<>();
  private final Set<String> accounts = new TreeSet<>();
  private final List<Integer> landed = new ArrayList<>();
  private final List<Long> latencies = new ArrayList<>();
  private int refused;

  private Simulation(Arm arm, Settings settings) {
    this.arm = arm;
    this.settings = settings;
    network = new Random(settings.seed() * 31 + 7);
    schedule = new ArrayDeque<>(settings.schedule());
    for (int i = 0; i < arm.nodes(); i++) {
      nodes.add(new LeaseNode());
    }
    schedule.forEach(planned -> accounts.add(planned.account()));
    accounts.forEach(account -> storage.overwrite(account, Version.first()));
  }

  /** Lets all transactions of the settings happen. */
  static Result of(Arm arm, Settings settings) {
    return new Simulation(arm, settings).run();
  }

  private Result run() {
    int outlasted = (int) schedule.stream().filter(each -> each.pause() > settings.lease()).count();
    for (int i = 0; i < settings.clients(); i++) {
      time.after(between(0, settings.roundTrip()), new Client(this, i)::next);
    }
    time.run();
    Set<Integer> contained = new HashSet<>();
    accounts.forEach(account -> contained.addAll(storage.read(account).contained()));
    int lost = (int) landed.stream().filter(number -> !contained.contains(number)).count();
    List<Long> sorted = latencies.stream().sorted().toList();
    int rank = (sorted.size() * 99 + 99) / 100;
    return new Result(
        arm, landed.size(), lost, refused, outlasted, sorted.isEmpty() ? 0 : sorted.get(rank - 1));
  }

  Arm arm() {
    return arm;
  }

  Settings settings() {
    return settings;
  }

  VirtualTime time() {
    return time;
  }

  List<LeaseNode> nodes() {
    return nodes;
  }

  TokenIssuer issuer() {
    return issuer;
  }

  ValidatedStorage<Version> storage() {
    return storage;
  }

  @Nullable Planned take() {
    return schedule.poll();
  }

  /** Something happens at a server, and the client goes on when it has the answer. */
  void request(Runnable atServer, Runnable then) {
    time.after(
        oneWay(),
        () -> {
          atServer.run();
          time.after(oneWay(), then);
        });
  }

  /** Half a round trip: between a half and one and a half of the average. */
  private long oneWay() {
    return between(settings.roundTrip() / 4, settings.roundTrip() * 3 / 4);
  }

  long between(long from, long to) {
    return from + (long) ((to - from) * network.nextDouble());
  }

  void landed(Planned planned) {
    landed.add(planned.number());
  }

  void refused() {
    refused++;
  }

  void finished(long latency) {
    latencies.add(latency);
  }
}
