package dev.fencing.harness.worker;

import dev.fencing.harness.history.EdnWriter;
import dev.fencing.harness.history.Op;
import java.io.IOException;

/** Writes the operations of one worker down. Thread-safe. */
final class Recorder {

  private final EdnWriter out;
  private final long origin;

  Recorder(EdnWriter out, long origin) {
    this.out = out;
    this.origin = origin;
  }

  /** Writes an invocation down, before it is sent. */
  Op invoke(Op.Builder builder) {
    Op op = builder.at(now());
    write(op);
    return op;
  }

  /** Writes an end down, after its answer. */
  void end(Op.Builder builder) {
    write(builder.at(now()));
  }

  private long now() {
    return System.nanoTime() - origin;
  }

  /** A worker that cannot say what it did must not go on. */
  private void write(Op op) {
    try {
      out.append(op);
    } catch (IOException e) {
      Throwable first = e.getCause() == null ? e : e.getCause();
      WorkerMain.fail("the history cannot be written: " + first.getMessage());
    }
  }

  void close() throws IOException {
    out.close();
  }
}
