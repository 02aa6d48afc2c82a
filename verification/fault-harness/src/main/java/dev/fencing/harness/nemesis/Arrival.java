package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A thread of a worker that waits at a mark for its one byte. Thread-safe. */
final class Arrival {

  static final int GO = 'g';
  static final int HAUNT = 'z';

  private final int worker;
  private final int lock;
  private final long pid;
  private final Mark mark;
  private final long session;
  private final long backend;
  private final Duration ahead;
  private final CountDownLatch answered = new CountDownLatch(1);
  private volatile int answer = GO;

  private Arrival(
      int worker, int lock, long pid, Mark mark, long session, long backend, Instant clock) {
    this.worker = worker;
    this.lock = lock;
    this.pid = pid;
    this.mark = mark;
    this.session = session;
    this.backend = backend;
    this.ahead = Duration.between(Instant.now(), clock);
  }

  /** Reads a line of a worker: worker, lock, pid, mark, token, session, backend, clock. */
  static Arrival parse(String line) {
    String[] words = line.split(" ", -1);
    return new Arrival(
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Long.parseLong(words[2]),
        Mark.valueOf(words[3].toUpperCase(Locale.ROOT).replace('-', '_')),
        Long.parseUnsignedLong(words[5], 16),
        Long.parseLong(words[6]),
        Instant.ofEpochMilli(Long.parseLong(words[7])));
  }

  int worker() {
    return worker;
  }

  int lock() {
    return lock;
  }

  long pid() {
    return pid;
  }

  Mark mark() {
    return mark;
  }

  /** The session of the worker at that time, as the server's log writes it. */
  String session() {
    return "0x" + Long.toHexString(session);
  }

  /** The process of the database that serves its transaction; 0 if it has none there. */
  long backend() {
    return backend;
  }

  /** How far its wall clock is ahead of ours. */
  Duration ahead() {
    return ahead;
  }

  boolean isSameThread(Arrival other) {
    return worker == other.worker && lock == other.lock;
  }

  /** Lets it go on. Once is enough. */
  void go() {
    answered.countDown();
  }

  /** Lets it go on as a holder that does not care for its session. */
  void haunt() {
    answer = HAUNT;
    answered.countDown();
  }

  /** Waits for the answer; without one in time it goes on. */
  int answer(Duration bound) throws InterruptedException {
    return answered.await(bound.toMillis(), TimeUnit.MILLISECONDS) ? answer : GO;
  }
}
