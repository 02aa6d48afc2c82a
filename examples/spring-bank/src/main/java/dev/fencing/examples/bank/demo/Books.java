package dev.fencing.examples.bank.demo;

import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What the clients know: each order is done, refused, or in doubt. Thread-safe. */
final class Books {

  private final Map<UUID, Order> done = new ConcurrentHashMap<>();
  private final Map<UUID, Order> refused = new ConcurrentHashMap<>();
  private final Map<UUID, Order> doubtful = new ConcurrentHashMap<>();
  private final Map<Integer, AtomicInteger> answers = new ConcurrentSkipListMap<>();
  private final AtomicInteger late = new AtomicInteger();
  private final Queue<String> unexpected = new ConcurrentLinkedQueue<>();

  void count(Order order, Answer answer) {
    answers.computeIfAbsent(answer.status(), status -> new AtomicInteger()).incrementAndGet();
    if (answer.status() != Answer.DONE && !answer.refuses() && !answer.mayBeRepeated()) {
      unexpected.add(order + " was answered " + answer);
    }
  }

  void done(Order order) {
    done.put(order.id(), order);
  }

  /** An order of which every request was refused. */
  void refused(Order order) {
    refused.put(order.id(), order);
  }

  /** An order of a holder that was frozen, refused when it woke up. */
  void refusedLate(Order order) {
    refused(order);
    late.incrementAndGet();
  }

  /** How many there were of those. */
  int late() {
    return late.get();
  }

  /** An order of which a request got no answer and none got 200. */
  void doubtful(Order order) {
    doubtful.put(order.id(), order);
  }

  Map<UUID, Order> done() {
    return Map.copyOf(done);
  }

  Map<UUID, Order> refused() {
    return Map.copyOf(refused);
  }

  Map<UUID, Order> doubtful() {
    return Map.copyOf(doubtful);
  }

  /** Answers that nothing in the story explains. */
  Queue<String> unexpected() {
    return unexpected;
  }

  /** How many answers there were of each status. */
  Map<Integer, Integer> answers() {
    Map<Integer, Integer> counts = new TreeMap<>();
    answers.forEach((status, count) -> counts.put(status, count.get()));
    return counts;
  }

  int answers(int status) {
    return answers().getOrDefault(status, 0);
  }

  /** For the progress line. */
  @Override
  public String toString() {
    return "%d done (200), %d refused (412), %d without lock or database (503), %d without answer"
        .formatted(
            answers(Answer.DONE),
            answers(Answer.STALE),
            answers(Answer.UNAVAILABLE),
            answers(Answer.NONE));
  }
}
