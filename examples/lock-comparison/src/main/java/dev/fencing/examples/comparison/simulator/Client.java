package dev.fencing.examples.comparison.simulator;

import dev.fencing.examples.comparison.simulator.Settings.Planned;
import java.util.List;

/** One process: it takes a lock, reads, thinks, writes and releases, over and over. */
final class Client {

  private static final long RETRY_FROM = 5_000;
  private static final long RETRY_TO = 15_000;
  private static final Planned NONE = new Planned(0, "", 0, 0);

  private final Simulation world;
  private final VirtualTime time;
  private final int number;
  private Planned planned = NONE;
  private boolean paused;
  private long began;
  private long asked;
  private long attempts;
  private long owner;
  private long token;
  private int granted;
  private Version read = Version.first();
  private Answer answer = Answer.ok("");

  Client(Simulation world, int number) {
    this.world = world;
    this.number = number;
    time = world.time();
  }

  void next() {
    Planned taken = world.take();
    if (taken != null) {
      planned = taken;
      paused = false;
      began = time.now();
      acquire();
    }
  }

  /** Asks one node after the other. */
  private void acquire() {
    owner = ++attempts * world.settings().clients() + number;
    asked = time.now();
    granted = 0;
    ask(0);
  }

  private void ask(int node) {
    List<LeaseNode> nodes = world.nodes();
    long lease = world.settings().lease();
    world.request(
        () -> {
          if (nodes.get(node).tryLock(planned.account(), owner, time.now(), lease)) {
            granted++;
            token = world.arm().checks() ? world.issuer().next(planned.account()) : 0;
          }
        },
        () -> {
          if (node + 1 < nodes.size()) {
            ask(node + 1);
          } else if (granted > nodes.size() / 2 && time.now() - asked < lease) {
            raise();
          } else {
            release(0, () -> time.after(world.between(RETRY_FROM, RETRY_TO), this::acquire));
          }
        });
  }

  private void raise() {
    if (world.arm().raises()) {
      world.request(
          () -> answer = world.storage().raise(planned.account(), token), this::goOnOrStartOver);
    } else {
      read();
    }
  }

  private void goOnOrStartOver() {
    if (answer.isOk()) {
      read();
    } else {
      startOver();
    }
  }

  private void read() {
    world.request(() -> read = world.storage().read(planned.account()), this::think);
  }

  private void think() {
    // A transaction that was refused and is tried again is not paused again.
    long pause = paused ? 0 : planned.pause();
    paused = true;
    time.after(planned.think() + pause, this::write);
  }

  private void write() {
    Version written = read.plus(planned.number());
    world.request(
        () -> {
          if (world.arm().checks()) {
            answer = world.storage().write(planned.account(), token, written);
          } else {
            world.storage().overwrite(planned.account(), written);
            answer = Answer.ok("written");
          }
          if (answer.isOk()) {
            world.landed(planned);
          }
        },
        () -> {
          if (answer.isOk()) {
            release(0, this::finish);
          } else {
            startOver();
          }
        });
  }

  /** Under a new grant and a new token, with a new read. */
  private void startOver() {
    world.refused();
    release(0, this::acquire);
  }

  private void release(int node, Runnable then) {
    List<LeaseNode> nodes = world.nodes();
    world.request(
        () -> nodes.get(node).unlock(planned.account(), owner),
        () -> {
          if (node + 1 < nodes.size()) {
            release(node + 1, then);
          } else {
            then.run();
          }
        });
  }

  private void finish() {
    world.finished(time.now() - began);
    next();
  }
}
