package dev.fencing.curator;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Requests that run side by side have the outcome of some order in which they take turns, each one
 * with its check and its work as one step.
 *
 * <p>Lincheck makes up small programs of the operations, runs them on threads and looks for that
 * order, in interleavings that it chooses itself and that are the same in every run. It takes
 * memory to be sequentially consistent; {@link FencedRegisterTest} runs the same on real threads.
 */
@Isolated("Lincheck instruments classes of the whole JVM while it runs.")
class FencedRegisterLincheckTest {

  private static final String PATH = "/locks/it";
  private static final FencingToken FIRST = new FencingToken(PATH, 1);
  private static final FencingToken SECOND = new FencingToken(PATH, 2);

  /** The operations. The value is a plain field: only the turn that a request has guards it. */
  public abstract static class Service {

    private final FencedRegister register;
    private int value;

    Service(FencedRegister register) {
      this.register = register;
    }

    /** Appends a digit; returns what was there before, or -1 if the token is refused. */
    private int append(FencingToken token) throws InterruptedException {
      try {
        return register.call(
            PATH,
            token,
            () -> {
              int before = value;
              value = before * 10 + (int) token.token();
              return before;
            });
      } catch (StaleFencingTokenException stale) {
        return -1;
      }
    }

    @Operation
    public int appendByFirstHolder() throws InterruptedException {
      return append(FIRST);
    }

    @Operation
    public int appendBySecondHolder() throws InterruptedException {
      return append(SECOND);
    }

    @Operation
    public boolean secondHolderComes() throws InterruptedException {
      return register.offer(PATH, SECOND);
    }

    @Operation
    public void restore() {
      register.restore(SECOND);
    }

    @Operation
    public boolean forgetSecondHolder() {
      return register.forget(SECOND);
    }

    @Operation
    public long highest() {
      return register.highest(PATH).map(FencingToken::token).orElse(0L);
    }
  }

  public static final class ManyWrites extends Service {
    public ManyWrites() {
      super(FencedRegister.manyWritesPerToken());
    }
  }

  public static final class OneWrite extends Service {
    public OneWrite() {
      super(FencedRegister.oneWritePerToken());
    }
  }

  @Test
  void manyWritesPerTokenIsLinearizable() {
    smallPrograms().check(ManyWrites.class);
  }

  @Test
  void oneWritePerTokenIsLinearizable() {
    smallPrograms().check(OneWrite.class);
  }

  private static ModelCheckingOptions smallPrograms() {
    return new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(50)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(0);
  }
}
