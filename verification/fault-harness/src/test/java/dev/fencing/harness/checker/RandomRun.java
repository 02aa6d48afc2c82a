package dev.fencing.harness.checker;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Run;
import dev.fencing.harness.history.RunEnd;
import dev.fencing.harness.history.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A made-up run of the product that is right: a fence that accepts the token it holds and nothing
 * else, workers that are paused and overtaken at any place, commits whose answer is lost.
 */
public final class RandomRun {

  private static final int WORKERS = 6;

  final List<Op> ops = new ArrayList<>();
  final List<LoggedWrite> log = new ArrayList<>();
  final List<Fault> faults = new ArrayList<>();
  private final Random random;
  private final Lock[] locks;
  private final Worker[] workers = new Worker[WORKERS];
  private final int length;
  private long time;
  private long zxid = 100;
  private int names;
  private int processes = WORKERS;

  private static final class Lock {
    final String name;
    @Nullable Worker holder;
    long fence;
    String raiseId = "";
    final List<Long> values = new ArrayList<>(List.of(0L));

    Lock(String name) {
      this.name = name;
    }

    long ver() {
      return values.size() - 1L;
    }
  }

  private static final class Worker {
    final int number;
    int process;
    Lock lock = new Lock("");
    String hold = "";
    long token;
    String raiseId = "";
    long readVer;
    int step;
    int writes;
    int paused;

    Worker(int number) {
      this.number = number;
      process = number;
    }
  }

  /** Makes one; the same seed makes the same. */
  public RandomRun(long seed, int length) {
    random = new Random(seed);
    this.length = length;
    locks = new Lock[1 + random.nextInt(4)];
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new Lock("lock-" + i);
    }
    for (int i = 0; i < WORKERS; i++) {
      workers[i] = new Worker(i);
    }
    while (ops.size() < length) {
      step(workers[random.nextInt(WORKERS)]);
    }
  }

  private void step(Worker worker) {
    if (worker.paused > 0) {
      worker.paused--;
      return;
    }
    switch (worker.step) {
      case 0 -> acquire(worker);
      case 1 -> raise(worker);
      case 2 -> read(worker);
      case 3 -> write(worker);
      default -> release(worker);
    }
    if (worker.step > 0 && random.nextInt(12) == 0) {
      pause(worker);
    }
  }

  /** The lock goes to the next one at once, as after the end of the session. */
  private void pause(Worker worker) {
    worker.paused = random.nextInt(60);
    long from = tick();
    if (worker.equals(worker.lock.holder)) {
      worker.lock.holder = null;
    }
    faults.add(
        new Fault(
            FaultKind.PAUSE_HOLDER,
            from,
            from + worker.paused * 12_000_000L,
            worker.number,
            worker.lock.name,
            true,
            "state T; Expiring session 0x" + Long.toHexString(from),
            "random"));
  }

  private void acquire(Worker worker) {
    Lock lock = locks[random.nextInt(locks.length)];
    if (lock.holder != null) {
      return;
    }
    lock.holder = worker;
    worker.lock = lock;
    worker.hold = "h" + names++;
    worker.token = 0;
    Op invoke = invoke(worker, OpFunction.ACQUIRE, null, null);
    worker.token = zxid += 1 + random.nextInt(5);
    worker.raiseId = worker.hold;
    worker.writes = 1 + random.nextInt(3);
    worker.step = 1;
    add(invoke.completed(OpType.OK).token(worker.token).live(true));
  }

  private void raise(Worker worker) {
    Op invoke = invoke(worker, OpFunction.RAISE, null, null);
    Lock lock = worker.lock;
    if (worker.token < lock.fence) {
      refuse(worker, invoke);
      return;
    }
    lock.fence = worker.token;
    lock.raiseId = worker.raiseId;
    worker.step = 2;
    add(invoke.completed(OpType.OK));
  }

  private boolean isStale(Worker worker) {
    return worker.token != worker.lock.fence || !worker.raiseId.equals(worker.lock.raiseId);
  }

  private void refuse(Worker worker, Op invoke) {
    worker.step = 4;
    add(invoke.completed(OpType.FAIL).error("StaleTokenException: stale").live(false));
  }

  private void read(Worker worker) {
    Op invoke = invoke(worker, OpFunction.READ, null, null);
    if (isStale(worker)) {
      refuse(worker, invoke);
      return;
    }
    worker.readVer = worker.lock.ver();
    worker.step = 3;
    add(
        invoke
            .completed(OpType.OK)
            .value(new Row(worker.readVer, worker.lock.values.get((int) worker.readVer))));
  }

  private void write(Worker worker) {
    Lock lock = worker.lock;
    String op = "op" + names++;
    long old = lock.values.get((int) worker.readVer);
    Op invoke = invoke(worker, OpFunction.WRITE, op, old + 1);
    if (isStale(worker)) {
      refuse(worker, invoke);
      return;
    }
    boolean answered = random.nextInt(20) > 0;
    if (answered || random.nextBoolean()) {
      lock.values.add(old + 1);
      log.add(
          new LoggedWrite(
              op, lock.name, lock.name, worker.token, lock.ver(), worker.readVer, old, old + 1));
    }
    worker.writes--;
    worker.step = worker.writes == 0 ? 4 : 2;
    add(invoke.completed(answered ? OpType.OK : OpType.INFO));
    if (!answered) {
      worker.process = processes++;
      renew(worker);
    }
  }

  private void renew(Worker worker) {
    Op invoke = invoke(worker, OpFunction.RENEW, null, null);
    if (isStale(worker)) {
      refuse(worker, invoke);
      return;
    }
    worker.raiseId = "r" + names++;
    worker.lock.raiseId = worker.raiseId;
    add(invoke.completed(OpType.OK));
  }

  private void release(Worker worker) {
    Op invoke = invoke(worker, OpFunction.RELEASE, null, null);
    if (worker.equals(worker.lock.holder)) {
      worker.lock.holder = null;
    }
    worker.step = 0;
    add(invoke.completed(OpType.OK));
  }

  private Op invoke(Worker worker, OpFunction f, @Nullable String op, @Nullable Object value) {
    return add(
        Op.invoke(f, worker.number, worker.process)
            .resource(worker.lock.name)
            .hold(worker.hold)
            .token(worker.token == 0 ? null : worker.token)
            .op(op)
            .value(value));
  }

  private Op add(Op.Builder builder) {
    Op op = builder.at(tick()).at(ops.size());
    ops.add(op);
    return op;
  }

  private long tick() {
    return time += 500_000 + random.nextInt(4_000_000);
  }

  RunEnd end() {
    Map<Integer, Double> seconds = new TreeMap<>();
    for (int i = 0; i < WORKERS; i++) {
      seconds.put(i, 0.1 * i);
    }
    Map<String, Map<Integer, Double>> healed = new HashMap<>();
    for (Lock lock : locks) {
      healed.put(lock.name, seconds);
    }
    return new RunEnd(
        "P1",
        Workload.COUNTER,
        length,
        time / 1e9,
        1000,
        250,
        0,
        0,
        0,
        null,
        healed,
        null,
        null,
        List.of(),
        List.of());
  }

  /** Returns it as it is now. */
  public Run run() {
    return new Run(ops, log, faults, end(), 0);
  }
}
