package dev.fencing.examples.comparison.work;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.server.ServerException;
import dev.fencing.fixtures.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A worker process, as the one who runs it sees it. For one thread, but for {@link #kill}. */
final class Worker implements AutoCloseable {

  private final int number;
  private final Process process;
  private final Line line;

  Worker(int number, Process process, Line line) {
    this.number = number;
    this.process = process;
    this.line = line;
  }

  /** Has it connect to the servers of an arm, and returns the lease that they have granted. */
  long open(Arm arm, Path setup) throws IOException {
    line.send(Line.Kind.OPEN, List.of(arm.name(), setup.toString()));
    Line.Message answer = line.next();
    if (answer.kind() == Line.Kind.FAILED) {
      throw new ServerException("worker %d: %s".formatted(number, answer.as(String.class)));
    }
    return answer.as(Long.class);
  }

  /** Has it run a transaction, stops it on the way if that is planned, and returns its attempts. */
  List<Transaction> run(Planned planned, Pauses pauses) throws Exception {
    pauses.before(planned);
    line.send(Line.Kind.RUN, planned);
    List<Transaction> attempts = new ArrayList<>();
    long stopped = 0;
    while (true) {
      Line.Message message = line.next();
      if (message.kind() == Line.Kind.MARK) {
        stopped = stop(planned, pauses);
        continue;
      }
      Transaction attempt = message.as(Transaction.class).frozenFor(stopped);
      stopped = 0;
      attempts.add(attempt);
      pauses.after(attempt);
      if (message.kind() == Line.Kind.DONE) {
        return attempts;
      }
    }
  }

  /** Returns for how long the kernel called it stopped. */
  private long stop(Planned planned, Pauses pauses) throws Exception {
    Signals.freeze(process.pid());
    long start = System.nanoTime();
    try {
      pauses.whileStopped(planned);
      line.send(Line.Kind.GO, ""); // It finds that when it wakes up.
    } finally {
      Signals.thaw(process.pid());
    }
    return System.nanoTime() - start;
  }

  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() throws IOException {
    kill();
    line.close();
  }
}
