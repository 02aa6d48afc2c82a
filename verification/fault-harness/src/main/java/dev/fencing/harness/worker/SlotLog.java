package dev.fencing.harness.worker;

import dev.fencing.harness.arm.DoubtException;
import dev.fencing.harness.arm.HoldOverException;
import dev.fencing.harness.arm.RefusedException;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.jdbc.FenceBusyException;
import dev.fencing.jdbc.FenceMissingException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;

/** What one thread does, written down under its process number. For that thread. */
final class SlotLog {

  /** A step that may fail in any way. */
  interface Step {
    void run() throws Exception;
  }

  private final Recorder recorder;
  private final String resource;
  private final int worker;
  private final int step;
  private int process;

  SlotLog(Recorder recorder, WorkerId id, int lock) {
    this.recorder = recorder;
    this.resource = Order.lock(lock);
    this.worker = id.worker();
    this.step = id.processStep();
    this.process = id.firstProcess(lock);
  }

  Op.Builder op(OpFunction f) {
    return Op.invoke(f, worker, process).resource(resource);
  }

  /** Writes an invocation down, before it is sent. */
  Op invoke(Op.Builder builder) {
    return recorder.invoke(builder);
  }

  /** Writes an end down, after its answer. */
  void end(Op.Builder builder) {
    recorder.end(builder);
  }

  /** Does a step and returns whether it went well; else how it failed is written down. */
  boolean attempt(Op op, Step step) {
    return outcome(op, step) == OpType.OK;
  }

  /** Does a step, writes down how it failed, and begins a new process where nobody knows. */
  OpType outcome(Op op, Step step) {
    try {
      step.run();
      return OpType.OK;
    } catch (HoldOverException over) {
      end(op.completed(OpType.FAIL).error(over));
      return OpType.FAIL;
    } catch (Exception e) {
      OpType type = type(op.f(), e);
      end(op.completed(type).error(e));
      if (type == OpType.INFO) {
        process += this.step;
      }
      return type;
    }
  }

  private static OpType type(OpFunction f, Exception e) {
    boolean refused =
        e instanceof StaleTokenException
            || e instanceof RefusedException
            || e instanceof FenceMissingException
            || e instanceof FenceBusyException;
    return switch (f) {
      // They commit by themselves, so that any other failure may come after the COMMIT was sent.
      case RAISE, CLAIM, RENEW -> refused ? OpType.FAIL : OpType.INFO;
      case WRITE ->
          e instanceof UnknownOutcomeException || e instanceof DoubtException
              ? OpType.INFO
              : OpType.FAIL;
      default -> OpType.FAIL;
    };
  }
}
