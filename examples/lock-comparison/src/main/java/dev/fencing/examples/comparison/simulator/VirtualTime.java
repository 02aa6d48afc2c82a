package dev.fencing.examples.comparison.simulator;

import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that jumps from one event to the next. */
final class VirtualTime {

  private record Event(long at, long number, Runnable action) {}

  /** Events of one moment happen in the order in which they were planned. */
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));

  private long now;
  private long planned;

  /** Returns microseconds since the beginning. */
  long now() {
    return now;
  }

  void after(long micros, Runnable action) {
    events.add(new Event(now + micros, planned++, action));
  }

  /** Lets everything happen, until nothing more is planned. */
  void run() {
    for (Event event = events.poll(); event != null; event = events.poll()) {
      now = event.at();
      event.action().run();
    }
  }
}
