package dev.fencing.curator;

import static java.lang.System.Logger.Level.WARNING;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The library's own sense of time: tells when this process has not run for a while.
 *
 * <p>A process that was stopped cannot have kept its session alive. Two beats that are further
 * apart than the session lasts say so at once, before ZooKeeper's client has noticed anything. One
 * daemon thread for the whole JVM, started at the first use.
 */
final class Pulse {

  /** Hears the beats for as long as it is among the listeners. */
  interface Listener {
    /**
     * Called at every beat, on the pulse's own thread; must not block.
     *
     * @param gapNanos since the beat before
     */
    void beat(long gapNanos);
  }

  /**
   * So many beats after the end of a handle its answers have come, or never will: ZooKeeper's
   * client may swallow one that meets the end of its event thread.
   */
  static final int PATIENT_BEATS = 10;

  private static final System.Logger LOG = System.getLogger(Pulse.class.getName());

  private static final long PERIOD_MS = 100;

  private static final Set<Listener> LISTENERS = ConcurrentHashMap.newKeySet();

  private static volatile long lastBeat = System.nanoTime();

  private static final class Heart {
    private static final ScheduledFuture<?> BEATING;

    static {
      lastBeat = System.nanoTime();
      BEATING =
          Executors.newSingleThreadScheduledExecutor(Callbacks.daemons("fencing-pulse-"))
              .scheduleWithFixedDelay(Pulse::beat, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
    }
  }

  private Pulse() {}

  static void add(Listener listener) {
    start();
    LISTENERS.add(listener);
  }

  static void remove(Listener listener) {
    LISTENERS.remove(listener);
  }

  /** How long ago the last beat was: much more than the period only if the process was held up. */
  static long nanosSinceLastBeat() {
    start();
    return System.nanoTime() - lastBeat;
  }

  private static void start() {
    Objects.requireNonNull(Heart.BEATING);
  }

  private static void beat() {
    long now = System.nanoTime();
    long gap = now - lastBeat;
    // The listeners first: who asks in between still sees the gap.
    for (Listener listener : LISTENERS) {
      try {
        listener.beat(gap);
      } catch (Throwable e) { // Not even an Error may stop the heart of all locks.
        LOG.log(WARNING, "The state of " + listener + " could not be looked at", e);
      }
    }
    lastBeat = now;
  }
}
