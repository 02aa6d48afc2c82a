package dev.fencing.examples.bank.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Clients that move money all the time, half of them after a look at the balance, whose token they
 * then send along.
 */
final class Load {

  private static final Duration PATIENCE = Duration.ofSeconds(6);
  private static final Duration BEFORE_NEXT = Duration.ofMillis(200);
  private static final Duration TO_SETTLE = Duration.ofSeconds(60);
  private static final int LARGEST = 50_000;

  private final List<Teller> tellers;
  private final Books books;
  private final int accounts;
  private final Duration pause;
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean stopping;
  private volatile long stoppedAt;

  /**
   * @param accounts which take part: those with the numbers from 1 to this
   * @param pause of each client between two transfers
   */
  Load(List<Teller> tellers, Books books, int accounts, Duration pause) {
    this.tellers = tellers;
    this.books = books;
    this.accounts = accounts;
    this.pause = pause;
  }

  void start(int count) {
    for (int i = 0; i < count; i++) {
      Thread client = new Thread(this::work, "client-" + i);
      client.setDaemon(true);
      client.start();
      clients.add(client);
    }
  }

  private void work() {
    try {
      while (!stopping) {
        settle(order(), ThreadLocalRandom.current().nextInt(tellers.size()));
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Order order() throws InterruptedException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long from = random.nextInt(accounts) + 1L;
    long to = (from + random.nextInt(accounts - 1)) % accounts + 1;
    Order order = Order.of(from, to, random.nextInt(LARGEST) + 1L);
    return random.nextBoolean() ? order : withToken(order);
  }

  private Order withToken(Order order) throws InterruptedException {
    Teller teller = tellers.get(ThreadLocalRandom.current().nextInt(tellers.size()));
    String token = teller.token(order.from()).orElse(null);
    return new Order(order.id(), order.from(), order.to(), order.cents(), token);
  }

  /** Asks one process after the other, always with the same id, until the outcome is known. */
  private void settle(Order order, int first) throws InterruptedException {
    boolean doubt = false;
    for (int i = first; isInTime(); i++) {
      Answer answer = ask(tellers.get(i % tellers.size()), order, PATIENCE);
      if (answer.status() == Answer.DONE) {
        return;
      }
      doubt |= !answer.refuses();
      if (!answer.mayBeRepeated()) {
        break;
      }
      TimeUnit.NANOSECONDS.sleep(BEFORE_NEXT.toNanos());
    }
    if (doubt) {
      books.doubtful(order);
    } else {
      books.refused(order);
    }
  }

  /** Asks once, and notes the answer; what it means for the order is noted only if it was done. */
  Answer ask(Teller teller, Order order, Duration patience) throws InterruptedException {
    Answer answer = teller.transfer(order, patience);
    books.count(order, answer);
    if (answer.status() == Answer.DONE) {
      books.done(order);
    }
    return answer;
  }

  private boolean isInTime() {
    return !stopping || System.nanoTime() - stoppedAt < TO_SETTLE.toNanos();
  }

  /** Lets every client settle its last order. */
  void stop() throws InterruptedException {
    stoppedAt = System.nanoTime();
    stopping = true;
    for (Thread client : clients) {
      client.join();
    }
  }
}
