package dev.fencing.examples.bank.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What happens to the two processes: one is frozen while it holds two accounts, past its session,
 * and the other is killed.
 */
final class Story {

  /** An account that the load leaves alone. */
  static final long PAYER = 9;

  /** Another one. */
  static final long PAYEE = 10;

  /** Screened for a second, in which its process is caught. */
  private static final long LARGE = 1_000_000;

  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final int MOST_TRIES = 10;

  private final List<BankProcess> processes;
  private final Load load;
  private final Books books;
  private final Ledger ledger;
  private final Consumer<String> told;

  Story(List<BankProcess> processes, Load load, Books books, Ledger ledger, Consumer<String> told) {
    this.processes = processes;
    this.load = load;
    this.books = books;
    this.ledger = ledger;
    this.told = told;
  }

  /** Freezes one and kills the other, in the next round the other way round. */
  void play(int round) throws Exception {
    BankProcess one = processes.get(round % 2);
    BankProcess other = processes.get((round + 1) % 2);
    int tries = 1;
    while (!freeze(one, other)) {
      if (tries++ == MOST_TRIES) {
        throw new DemoException(
            "%s was never caught between its raise and its first statement, in %d tries"
                .formatted(one.name(), MOST_TRIES));
      }
    }
    kill(other, one);
  }

  /** Returns whether the frozen process was caught within a transfer, and refused. */
  private boolean freeze(BankProcess frozen, BankProcess other) throws Exception {
    transferBy(frozen); // Awake and connected, or it would not be caught in time.
    Order late = Order.of(PAYER, PAYEE, LARGE);
    CompletableFuture<Answer> request = CompletableFuture.supplyAsync(() -> ask(frozen, late));
    awaitHold(frozen, request);
    frozen.freeze();
    told.accept(
        "%s is frozen within a transfer from account %d to %d"
            .formatted(frozen.name(), PAYER, PAYEE));
    transferBy(other);
    told.accept(
        "%s has got the locks of both, since the session of %s is over, and has moved money"
            .formatted(other.name(), frozen.name()));
    boolean early = ledger.has(late.id());
    frozen.wake();
    Answer answer = request.join();
    told.accept(
        "%s is awake; its transfer was answered %s".formatted(frozen.name(), answer.inWords()));
    if (answer.status() == Answer.STALE) {
      books.refusedLate(late);
    } else if (answer.status() != Answer.DONE) {
      books.doubtful(late);
    } else if (!early) {
      books.unexpected().add("the late transfer " + late.id() + " was answered " + answer);
    }
    transferBy(frozen);
    told.accept(frozen.name() + " moves money again");
    return answer.status() == Answer.STALE || (answer.status() == Answer.DONE && !early);
  }

  private Answer ask(BankProcess process, Order order) {
    try {
      return load.ask(process.teller(), order, BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  /** Waits until a process holds both accounts, or its answer shows that it did. */
  private static void awaitHold(BankProcess process, CompletableFuture<Answer> request)
      throws InterruptedException {
    long start = System.nanoTime();
    while (!request.isDone() && !holdsBoth(process)) {
      if (System.nanoTime() - start > BOUND.toNanos()) {
        throw new DemoException(
            "%s has not begun a transfer within %d s".formatted(process.name(), BOUND.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private static boolean holdsBoth(BankProcess process) throws InterruptedException {
    String holds =
        process.teller().live().map(live -> String.valueOf(live.get("holds"))).orElse("");
    return holds.contains("account/" + PAYER + ",") && holds.contains("account/" + PAYEE + ",");
  }

  private void kill(BankProcess killed, BankProcess survivor) throws Exception {
    killed.kill();
    told.accept(killed.name() + " is killed");
    transferBy(survivor);
    killed.start();
    killed.awaitReady();
    transferBy(killed);
    told.accept(killed.name() + " is started again and moves money");
  }

  /** Has one process move money between the two accounts, however often it has to be asked. */
  private void transferBy(BankProcess process) throws InterruptedException {
    Order order = Order.of(PAYER, PAYEE, 1);
    long start = System.nanoTime();
    Answer answer = load.ask(process.teller(), order, BOUND);
    while (answer.status() != Answer.DONE) {
      if (System.nanoTime() - start > BOUND.toNanos()) {
        throw new DemoException(
            "%s has moved no money within %d s; its last answer is %s"
                .formatted(process.name(), BOUND.toSeconds(), answer));
      }
      TimeUnit.MILLISECONDS.sleep(50);
      answer = load.ask(process.teller(), order, BOUND);
    }
  }
}
