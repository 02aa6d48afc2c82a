package dev.fencing.examples.comparison.work;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Setup;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** A worker: a process of its own, so that its heartbeats and renewals freeze with it. */
final class WorkerMain {

  private static final int ATTEMPTS = 5;

  /** After which it tries again, under a new grant. */
  private static final Set<Outcome> NOT_WRITTEN =
      EnumSet.of(Outcome.REFUSED, Outcome.LOST_LOCK, Outcome.FAILED);

  private final int worker;
  private final Line line;
  private boolean stopped;

  private WorkerMain(int worker, Line line) {
    this.worker = worker;
    this.line = line;
  }

  /**
   * Works until the line ends.
   *
   * @param args the number of the worker and the port at which it is told what to do
   */
  public static void main(String[] args) throws Exception {
    int worker = Integer.parseInt(args[0]);
    try (Line line =
        new Line(new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1])))) {
      line.send(Line.Kind.HELLO, worker);
      new WorkerMain(worker, line).work();
    } catch (EOFException over) {
      // The run is over.
    } finally {
      Runtime.getRuntime().halt(0); // Clients of locks leave threads behind, and wait for them.
    }
  }

  private void work() throws Exception {
    Line.Message order = line.next();
    while (true) {
      order = underArm(order);
    }
  }

  /** Works under one arm, and returns the order to open another one. */
  private Line.Message underArm(Line.Message open) throws Exception {
    String[] words = open.as(String[].class);
    Arm arm = Arm.valueOf(words[0]);
    try (Client client = Client.connect(arm, Setup.read(Path.of(words[1])), worker)) {
      client.warmUp();
      line.send(Line.Kind.READY, client.leaseMillis());
      Line.Message order = line.next();
      while (order.kind() == Line.Kind.RUN) {
        run(order.as(Planned.class), client);
        order = line.next();
      }
      return order;
    } catch (EOFException e) {
      throw e;
    } catch (Exception e) {
      e.printStackTrace();
      line.send(Line.Kind.FAILED, arm + ": " + e);
      throw e;
    }
  }

  /**
   * Tries again while it is refused, has lost the lock, or fails without a write. A pause that is
   * planned comes once, in the first attempt that gets so far.
   */
  private void run(Planned planned, Client client) throws Exception {
    Planned next = planned;
    stopped = false;
    for (int attempt = 1; ; attempt++) {
      Transaction done = client.run(next, this::mark);
      boolean again = attempt < ATTEMPTS && NOT_WRITTEN.contains(done.outcome());
      line.send(again ? Line.Kind.ATTEMPT : Line.Kind.DONE, done);
      if (!again) {
        return;
      }
      next = stopped ? planned.withoutPause() : planned;
    }
  }

  private void mark() throws IOException {
    line.send(Line.Kind.MARK, "");
    line.next();
    stopped = true;
  }
}
