package dev.fencing.examples.job.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened and when, printed as it happens and kept for the summary and the picture.
 *
 * <p>Times are seconds since the demo began, by this process's monotonic clock.
 */
public final class Timeline {

  /** What the story is made of. */
  enum Kind {
    ACQUIRED,
    FROZEN,
    SESSION_EXPIRED,
    TAKEN_OVER,
    INTEREST,
    DEPOSIT,
    WOKEN,
    REFUSED,
    LATE_WRITE,
    LOSS_NOTICED,
    FINISHED;

    private String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * A turn of the story.
   *
   * @param at seconds since the demo began
   * @param kind what it is
   * @param worker who did it, or to whom it happened
   * @param token the worker's fencing token, 0 when it has none
   * @param text what to say about it
   */
  record Event(double at, Kind kind, String worker, long token, String text) {}

  /**
   * A committed write of a batch.
   *
   * @param at seconds since the demo began
   * @param worker who wrote
   * @param token the worker's fencing token, 0 when it has none
   * @param from position of the first account
   * @param to position after the last account
   */
  record Write(double at, String worker, long token, int from, int to) {}

  /**
   * A worker's time as leader.
   *
   * @param worker the worker
   * @param token its fencing token, 0 when it has none
   * @param from when it was elected
   * @param leaseUntil when its lease ended
   * @param belief when it learned that: between the two it was a leader only in its own eyes
   */
  record Hold(String worker, long token, double from, double leaseUntil, double belief) {

    private static final double OPEN = Double.POSITIVE_INFINITY;

    private Hold leaseEnded(double at) {
      return new Hold(worker, token, from, Math.min(leaseUntil, at), belief);
    }

    private Hold ended(double at) {
      return new Hold(worker, token, from, Math.min(leaseUntil, at), Math.min(belief, at));
    }
  }

  private final PrintStream out;
  private final long start = System.nanoTime();
  private final List<Event> events = new ArrayList<>();
  private final List<Write> writes = new ArrayList<>();
  private final List<Hold> holds = new ArrayList<>();
  private int tenths;
  private volatile boolean silent;

  /** Begins now. */
  public Timeline(PrintStream out) {
    this.out = out;
  }

  /** Seconds since the demo began. */
  public double now() {
    return (System.nanoTime() - start) / 1e9;
  }

  /** Prints something that is no part of the story. */
  public void note(String text) {
    print(now(), text);
  }

  /** Prints nothing any more: the run is being ended, and what happens then is no news. */
  void silence() {
    silent = true;
  }

  void event(Kind kind, String worker, long token, String text) {
    Event event = new Event(now(), kind, worker, token, text);
    events.add(event);
    print(event);
  }

  /** Keeps a committed write, and prints the progress at every tenth of the accounts. */
  void write(String worker, long token, int from, int to, int accounts) {
    writes.add(new Write(now(), worker, token, from, to));
    int reached = (int) (10L * to / accounts);
    if (reached > tenths) {
      tenths = reached;
      note(
          String.format(
              Locale.ROOT,
              "%3d %%  %,d of %,d accounts have interest",
              reached * 10,
              to,
              accounts));
    }
  }

  void elected(String worker, long token) {
    holds.add(new Hold(worker, token, now(), Hold.OPEN, Hold.OPEN));
  }

  /** The lease of {@code worker} has ended, which it need not know yet. */
  void leaseEnded(String worker) {
    double now = now();
    holds.replaceAll(hold -> hold.worker().equals(worker) ? hold.leaseEnded(now) : hold);
  }

  /** The worker no longer takes itself for the leader. */
  void resigned(String worker) {
    double now = now();
    holds.replaceAll(hold -> hold.worker().equals(worker) ? hold.ended(now) : hold);
  }

  /** Prints the story once more, without what came between. */
  void printSummary() {
    out.println();
    out.println("Timeline");
    events.forEach(this::print);
  }

  private void print(Event event) {
    String token = event.token() > 0 ? " (token " + event.token() + ")" : "";
    String who = event.worker() + token;
    print(
        event.at(),
        String.format(Locale.ROOT, "%-20s %-15s  %s", who, event.kind().label(), event.text()));
  }

  private void print(double at, String text) {
    if (!silent) {
      out.printf(Locale.ROOT, "%6.1f s  %s%n", at, text);
    }
  }

  List<Event> events() {
    return List.copyOf(events);
  }

  List<Write> writes() {
    return List.copyOf(writes);
  }

  List<Hold> holds() {
    return List.copyOf(holds);
  }
}
