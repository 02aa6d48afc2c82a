package dev.fencing.curator;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Closing, losing and listening side by side: a lease ends once, and each listener is told once if
 * it was lost and never if it was closed.
 *
 * <p>How such a test is made: the operations of one object, each with a result that shows what it
 * did; Lincheck runs small programs of them on threads and compares the results with those of every
 * order one after the other. What no result can show, since it happens behind the operation, is
 * looked at when all threads have ended, in the method marked with {@link Validate}.
 */
@Isolated("Lincheck instruments classes of the whole JVM while it runs.")
class LeaseStateLincheckTest {

  public static final class Lease {

    private final LeaseState state = new LeaseState(Runnable::run);
    private final Queue<AtomicInteger> told = new ConcurrentLinkedQueue<>();

    @Operation
    public boolean close() {
      return state.close();
    }

    @Operation
    public boolean lose() {
      return state.lose();
    }

    @Operation
    public void listen() {
      AtomicInteger times = new AtomicInteger();
      told.add(times);
      state.onLost(times::incrementAndGet);
    }

    @Operation
    public String state() {
      // Read in this order the three agree: live comes first and does not come back.
      return state.isLive() ? "live" : state.isClosed() ? "closed" : "lost";
    }

    @Validate
    public void eachListenerIsToldOnceIfTheLeaseIsLost() {
      int expected = state.isLost() ? 1 : 0;
      for (AtomicInteger times : told) {
        if (times.get() != expected) {
          throw new AssertionError("told %d times, not %d".formatted(times.get(), expected));
        }
      }
    }
  }

  @Test
  void leaseEndsOnceAndItsListenersAreToldOnce() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(50)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(0)
        .actorsAfter(0)
        .check(Lease.class);
  }
}
