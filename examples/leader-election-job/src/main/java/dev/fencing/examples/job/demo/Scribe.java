package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.demo.Cast.Cue;
import dev.fencing.examples.job.demo.Cast.Worker;
import java.util.HashSet;
import java.util.Set;

/** Puts into the timeline what the workers report. */
final class Scribe {

  private final Timeline timeline;
  private final boolean fenced;
  private final int accounts;
  private final Set<Worker> lostSession = new HashSet<>();
  private boolean elected;
  private boolean finished;

  Scribe(Timeline timeline, boolean fenced, int accounts) {
    this.timeline = timeline;
    this.fenced = fenced;
    this.accounts = accounts;
  }

  /** Whether the worker has reported a lost session. */
  boolean hasLostSession(Worker worker) {
    return lostSession.contains(worker);
  }

  void observe(Cue cue) {
    Worker worker = cue.worker();
    Mark mark = cue.mark();
    switch (mark.kind()) {
      case LEADING -> leading(worker, mark.number("token"));
      case WRITTEN -> written(worker, mark);
      case REFUSED -> {
        timeline.resigned(worker.name());
        long presented = mark.number("presented");
        event(
            Timeline.Kind.REFUSED,
            worker,
            presented,
            "token %d is stale, the fence is at %d".formatted(presented, mark.number("stored")));
        timeline.note("StaleTokenException: " + mark.text("message"));
      }
      case LEASE_LOST -> {
        timeline.resigned(worker.name());
        timeline.note(worker.name() + " lost its lease between two batches");
      }
      case SESSION_LOST -> lostSession.add(worker);
      default -> {
        // What is said of the others depends on the scene.
      }
    }
  }

  private void leading(Worker worker, long token) {
    if (finished) {
      String holding = fenced ? " with token " + token : "";
      timeline.note(worker.name() + " is elected" + holding + " and finds nothing left to do");
      return;
    }
    timeline.elected(worker.name(), token);
    Timeline.Kind kind = elected ? Timeline.Kind.TAKEN_OVER : Timeline.Kind.ACQUIRED;
    event(kind, worker, token, "the lock" + (fenced ? "; raised the fence to " + token : ""));
    elected = true;
  }

  private void written(Worker worker, Mark mark) {
    int from = (int) mark.number("from");
    int to = (int) mark.number("to");
    long token = mark.number("token");
    timeline.write(worker.name(), token, from, to, accounts);
    if (to == accounts) {
      finished = true;
      timeline.resigned(worker.name());
      event(Timeline.Kind.FINISHED, worker, token, "every account has its interest");
    }
  }

  private void event(Timeline.Kind kind, Worker worker, long token, String text) {
    timeline.event(kind, worker.name(), token, text);
  }
}
