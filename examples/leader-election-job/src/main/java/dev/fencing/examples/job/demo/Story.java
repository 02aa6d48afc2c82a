package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.OpeningBalance;
import dev.fencing.examples.job.demo.Cast.Cue;
import dev.fencing.examples.job.demo.Cast.Worker;
import dev.fencing.examples.job.demo.Mark.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * The story of the stale leader, played with real processes.
 *
 * <p>The leader is frozen after it has read the balance of the victim's account and before it has
 * written the new one. Its session expires, the next leader posts interest and a deposit to that
 * account, and then the first one wakes up and writes.
 */
final class Story {

  /** The fewest accounts with which every step of the story has a batch of its own. */
  static final int FEWEST_ACCOUNTS = 10;

  private static final int WORKERS = 3;
  private static final int BATCHES = 50;
  private static final int MAX_BATCH = 500;
  private static final long WHOLE_JOB_MILLIS = 2_000;

  private final Backstage backstage;
  private final ElectionNodes nodes;
  private final LedgerTables tables;
  private final Timeline timeline;
  private final Scribe scribe;
  private final Cast cast;
  private final Victim victim;
  private final boolean fenced;
  private final int batchSize;
  private final long thinkMillis;

  Story(
      List<OpeningBalance> accounts,
      boolean fenced,
      Backstage backstage,
      ElectionNodes nodes,
      LedgerTables tables,
      Timeline timeline) {
    this.fenced = fenced;
    this.backstage = backstage;
    this.nodes = nodes;
    this.tables = tables;
    this.timeline = timeline;
    this.scribe = new Scribe(timeline, fenced, accounts.size());
    this.cast = new Cast(backstage, timeline, scribe::observe);
    this.batchSize = Math.min(MAX_BATCH, Math.max(1, accounts.size() / BATCHES));
    this.thinkMillis = WHOLE_JOB_MILLIS * batchSize / accounts.size();
    // In the middle of a batch that lies two fifths down the ledger.
    int batches = accounts.size() / batchSize;
    this.victim = Victim.of(accounts, batches * 2 / 5 * batchSize + batchSize / 2);
  }

  Victim victim() {
    return victim;
  }

  int batchSize() {
    return batchSize;
  }

  List<String> workers() {
    return cast.workers().stream().map(Worker::name).toList();
  }

  /** Plays the story to its end. */
  void play(Servers servers) throws Exception {
    startWorkers(servers);

    Cue caught =
        cast.await(
            "the leader to read account " + victim.account(),
            cue -> cue.is(Kind.COMPUTED) && cue.mark().covers(victim.position()));
    Worker old = caught.worker();
    long oldToken = caught.mark().number("token");
    freezePastSession(old, oldToken);

    cast.await("another worker to be elected", cue -> cue.is(Kind.LEADING) && !from(old, cue));
    postInterestAndDeposit(old);

    // The new leader waits at its next mark, so that the order is the same on every machine.
    Cue waiting =
        cast.await("the new leader to go on", cue -> cue.is(Kind.COMPUTED) && !from(old, cue));
    wake(old, oldToken);
    waiting.worker().goOn();

    for (int done = 0; done < WORKERS; done++) {
      cast.await("the workers to finish", cue -> cue.is(Kind.DONE));
    }
    cast.awaitEnd();
  }

  private void startWorkers(Servers servers) throws Exception {
    timeline.note("starting " + WORKERS + " workers");
    for (int number = 1; number <= WORKERS; number++) {
      String name = "worker-" + number;
      List<String> args =
          WorkerMain.arguments(name, servers, nodes.path(), batchSize, thinkMillis, fenced);
      cast.add(
          name,
          backstage.startWorker(WorkerMain.class, name, args, WorkerMain.environment(servers)));
    }
    List<Worker> ready = new ArrayList<>();
    while (ready.size() < WORKERS) {
      ready.add(cast.await("the workers to connect", cue -> cue.is(Kind.READY)).worker());
    }
    ready.forEach(Worker::goOn);
  }

  private void freezePastSession(Worker old, long oldToken) throws Exception {
    ElectionNodes.Node node = nodes.holder();
    if (fenced && node.czxid() != oldToken) {
      throw DemoException.unfinished(
          "%s leads with token %d, but the oldest lock node has czxid %d: its session was lost"
              .formatted(old.name(), oldToken, node.czxid()));
    }
    Signals.freeze(old.process().pid());
    double frozenAt = timeline.now();
    event(
        Timeline.Kind.FROZEN,
        old,
        oldToken,
        "SIGSTOP between its read and its write of account %s; it read %s"
            .formatted(victim.account(), victim.opening()));
    // The answer waits in the pipe: the first thing that it does when it wakes is to write.
    old.goOn();
    nodes.awaitGone(node, timeline);
    timeline.leaseEnded(old.name());
    event(
        Timeline.Kind.SESSION_EXPIRED,
        old,
        oldToken,
        "after %.1f s ZooKeeper removed its lock node".formatted(timeline.now() - frozenAt));
  }

  private void postInterestAndDeposit(Worker old) throws Exception {
    Cue posted =
        cast.await(
            "the new leader to post interest to account " + victim.account(),
            cue -> cue.is(Kind.WRITTEN) && cue.mark().covers(victim.position()) && !from(old, cue));
    Worker leader = posted.worker();
    long token = posted.mark().number("token");
    event(
        Timeline.Kind.INTEREST,
        leader,
        token,
        "%s posted to account %s: it holds %s"
            .formatted(victim.interest(), victim.account(), victim.withInterest()));
    // The leader waits at that mark, so the deposit is in the inbox before it looks again.
    tables.deposit(victim.account(), Victim.DEPOSIT_CENTS);
    leader.goOn();
    cast.await("the deposit to be booked", cue -> cue.is(Kind.DEPOSITS));
    event(
        Timeline.Kind.DEPOSIT,
        leader,
        token,
        "%s booked to account %s: it holds %s"
            .formatted(victim.deposit(), victim.account(), victim.withDeposit()));
  }

  private void wake(Worker old, long oldToken) throws Exception {
    event(Timeline.Kind.WOKEN, old, oldToken, "SIGCONT; it writes what it computed before");
    Signals.wake(old.process().pid());
    if (fenced) {
      cast.await("the refusal of the late write", cue -> cue.is(Kind.REFUSED) && from(old, cue));
      return;
    }
    Cue late = cast.await("the late write", cue -> cue.is(Kind.WRITTEN) && from(old, cue));
    double writtenAt = timeline.now();
    event(
        Timeline.Kind.LATE_WRITE,
        old,
        oldToken,
        "nothing checks who writes: account %s holds %s again"
            .formatted(victim.account(), victim.withInterest()));
    if (!scribe.hasLostSession(old)) {
      cast.await("the lost session", cue -> cue.is(Kind.SESSION_LOST) && from(old, cue));
    }
    timeline.resigned(old.name());
    event(
        Timeline.Kind.LOSS_NOTICED,
        old,
        oldToken,
        "Curator reports the lost session %.1f s after the late write"
            .formatted(timeline.now() - writtenAt));
    late.worker().goOn();
  }

  private void event(Timeline.Kind kind, Worker worker, long token, String text) {
    timeline.event(kind, worker.name(), token, text);
  }

  private static boolean from(Worker worker, Cue cue) {
    return cue.worker().equals(worker);
  }
}
