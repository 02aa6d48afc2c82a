package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.history.Fault;
import dev.fencing.harness.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Faults that hit the process of a holder, or the database's process that serves it. */
final class ProcessFaults {

  private static final Duration ARRIVAL = Duration.ofSeconds(4);
  private static final Duration NEXT = Duration.ofMillis(3_500);
  private static final Duration LATE_WRITE = Duration.ofMillis(1_500);
  private static final Duration CLOCK_SEEN = Duration.ofSeconds(5);
  private static final int JUMP_SECONDS = 60;
  private static final Duration RAISE = Duration.ofSeconds(20);

  /** Earlier no raise gives up for a transaction that is in its way. */
  private static final Duration BUSY = Duration.ofSeconds(1);

  /** Less is no wait: the transaction had ended before. */
  private static final Duration WAITED = Duration.ofMillis(100);

  private static final Duration OPEN = Duration.ofSeconds(30);
  private static final Duration STATEMENT_SENT = Duration.ofMillis(150);

  /** From then on a server must have expired the session: the timeout, ticks, and some slack. */
  private static final Duration SURELY_EXPIRED = Stage.SESSION.plusMillis(750);

  private final Scene scene;

  ProcessFaults(Scene scene) {
    this.scene = scene;
  }

  static Predicate<Arrival> at(int lock, @Nullable Mark mark) {
    return arrival -> arrival.lock() == lock && arrival.mark() == mark;
  }

  /** The holder of the lock at the planned place; null if nobody comes in time. */
  @Nullable Arrival victim(Planned planned) throws InterruptedException {
    if (planned.at() == null) {
      return randomHolder(planned.lane());
    }
    Predicate<Arrival> there = at(planned.lane(), planned.at());
    boolean needsBackend =
        switch (planned.kind()) {
          case PAUSE_BACKEND, TERMINATE_BACKEND, OPEN_TRANSACTION -> true;
          default -> false;
        };
    return scene
        .marks()
        .aim(there.and(arrival -> !needsBackend || arrival.backend() != 0))
        .awaitOrCancel(ARRIVAL);
  }

  private @Nullable Arrival randomHolder(int lock) throws InterruptedException {
    long start = System.nanoTime();
    while (Scene.since(start).compareTo(ARRIVAL) < 0) {
      Arrival holder = scene.marks().aimAtHolder(lock);
      if (holder != null) {
        return holder;
      }
      Scene.sleep(Duration.ofMillis(7));
    }
    return null;
  }

  Fault pause(Planned planned, Arrival victim, long from) throws IOException, InterruptedException {
    boolean before = scene.hasExpired(victim.session()); // By what was done to it before this.
    scene.freeze(victim.pid());
    long start = System.nanoTime();
    victim.go();
    String next = "";
    if (planned.until() == Until.TIME) {
      Scene.sleep(planned.length());
      scene.thaw(victim.pid());
    } else {
      next = meetNext(planned, victim);
    }
    Duration stopped = Scene.since(start);
    String proof = "state T for " + Scene.seconds(stopped) + next;
    if (stopped.compareTo(SURELY_EXPIRED) < 0) {
      return scene.done(planned, from, victim, true, proof);
    }
    if (before) {
      return scene.done(
          planned, from, victim, false, proof + "; it had lost before this " + victim.session());
    }
    boolean expired = scene.expired(victim.session());
    String log =
        expired ? "; server log: Expiring session " : "; no server log has expired session ";
    return scene.done(planned, from, victim, expired, proof + log + victim.session());
  }

  /**
   * Wakes the victim when the next holder is where it hurts, and keeps that one there meanwhile.
   */
  private String meetNext(Planned planned, Arrival victim) throws InterruptedException {
    Predicate<Arrival> other =
        at(planned.lane(), planned.until().mark())
            .and(arrival -> arrival.worker() != victim.worker());
    try (Marks.Trap trap = scene.marks().trapBystander(other)) {
      Arrival next = trap.await(NEXT);
      if (next == null) {
        scene.thaw(victim.pid());
        return "; no next holder came to " + planned.until().mark();
      }
      if (planned.until() == Until.NEXT_ACQUIRED) {
        next.go();
        Scene.sleep(STATEMENT_SENT);
      }
      try (Marks.Trap late =
          scene
              .marks()
              .trap(
                  arrival -> arrival.mark() == Mark.AFTER_WRITE && arrival.isSameThread(victim))) {
        scene.thaw(victim.pid());
        boolean wrote = late.await(LATE_WRITE) != null;
        return "; woke when worker %d had come to %s%s"
            .formatted(
                next.worker(),
                next.mark(),
                wrote ? ", and tried its write before that went on" : "");
      }
    }
  }

  Fault kill(Planned planned, Arrival victim, long from) throws InterruptedException {
    int status = scene.stage().workers().kill(victim.worker());
    victim.go();
    return scene.done(planned, from, victim, status == 137, "exit status " + status);
  }

  /** Stops the database's process in mid-transaction, with the holder or without. */
  Fault pauseBackend(Planned planned, Arrival victim, long from)
      throws IOException, InterruptedException {
    boolean holderToo = planned.variant() % 2 == 0;
    scene.freeze(victim.backend());
    if (holderToo) {
      scene.freeze(victim.pid());
    }
    victim.go();
    String end = "";
    try (Marks.Trap trap =
        scene
            .marks()
            .trapBystander(
                at(planned.lane(), Mark.AFTER_ACQUIRE)
                    .and(arrival -> arrival.worker() != victim.worker()))) {
      Arrival next = holderToo ? trap.await(NEXT) : null;
      if (next == null) {
        Scene.sleep(Duration.ofMillis(holderToo ? 0 : planned.length().toMillis() / 2));
      } else {
        next.go();
        Scene.sleep(STATEMENT_SENT);
        end = ", until worker " + next.worker() + " raised";
      }
    } finally {
      scene.thaw(victim.backend());
      scene.thaw(victim.pid());
    }
    return scene.done(
        planned,
        from,
        victim,
        true,
        "pg_backend_pid %d in state T%s".formatted(victim.backend(), end));
  }

  /**
   * Leaves a transaction open. The next raise waits for it: until the server ends it because it is
   * idle, or until the raise gives up and says that the fence is busy.
   */
  Fault openTransaction(Planned planned, Arrival victim, long from)
      throws IOException, InterruptedException {
    scene.freeze(victim.pid());
    long start = System.nanoTime();
    victim.go();
    String raise = raiseOfNext(planned, victim);
    Duration left = OPEN.minus(Scene.since(start));
    if (!left.isNegative()) {
      Scene.sleep(left);
    }
    boolean ended =
        scene.databaseSays(
            "[%d] FATAL:  terminating connection due to idle-in-transaction timeout"
                .formatted(victim.backend()));
    scene.thaw(victim.pid());
    return scene.done(
        planned,
        from,
        victim,
        !raise.isEmpty(),
        "state T for %s in an open transaction; %s; the server %s it"
            .formatted(
                Scene.seconds(Scene.since(start)),
                raise.isEmpty() ? "no raise waited for it" : raise,
                ended ? "ended" : "did not end"));
  }

  private String raiseOfNext(Planned planned, Arrival victim) throws InterruptedException {
    // Aimed at, so that no other fault stops it while it raises.
    try (Marks.Trap acquired =
        scene
            .marks()
            .aim(
                at(planned.lane(), Mark.AFTER_ACQUIRE)
                    .and(arrival -> arrival.worker() != victim.worker()))) {
      Arrival next = acquired.await(NEXT);
      if (next == null) {
        return "";
      }
      try (Marks.Trap end =
          scene
              .marks()
              .trap(
                  arrival ->
                      arrival.isSameThread(next)
                          && (arrival.mark() == Mark.AFTER_RAISE || arrival.mark() == Mark.IDLE))) {
        long start = System.nanoTime();
        next.go();
        Arrival raised = end.await(RAISE);
        Duration took = Scene.since(start);
        String waited = Scene.seconds(took);
        boolean refused = raised != null && raised.mark() == Mark.IDLE && took.compareTo(BUSY) < 0;
        if (raised == null || refused || took.compareTo(WAITED) < 0) {
          return "";
        }
        return raised.mark() == Mark.IDLE
            ? "the next raise reported busy after " + waited
            : "the next raise got through after " + waited;
      }
    }
  }

  /** Sets the wall clock of the holder's process ahead or behind, and back again. */
  Fault clockJump(Planned planned, Arrival victim, long from)
      throws IOException, InterruptedException {
    int seconds = planned.variant() % 2 == 0 ? JUMP_SECONDS : -JUMP_SECONDS;
    try (Marks.Trap trap =
        scene
            .marks()
            .trap(
                arrival ->
                    arrival.worker() == victim.worker()
                        && Math.abs(arrival.ahead().toSeconds()) > JUMP_SECONDS / 2)) {
      scene.stage().workers().clocks().set(victim.worker(), seconds);
      victim.go();
      Arrival seen = trap.await(CLOCK_SEEN);
      if (seen == null) {
        return scene.done(planned, from, victim, false, "its wall clock did not jump");
      }
      seen.go();
      Scene.sleep(planned.length());
      return scene.done(
          planned,
          from,
          victim,
          true,
          "its wall clock was %d s ahead".formatted(seen.ahead().toSeconds()));
    } finally {
      scene.stage().workers().clocks().set(victim.worker(), 0);
    }
  }
}
