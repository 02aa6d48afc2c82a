package dev.fencing.curator;

import static java.lang.Thread.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The highest-token check in memory. */
class FencedRegisterTest {

  private static final String PATH = "/locks/printer";
  private static final String OTHER = "/locks/scanner";

  private final FencedRegister many = FencedRegister.manyWritesPerToken();
  private final FencedRegister once = FencedRegister.oneWritePerToken();
  private final List<String> written = new ArrayList<>(); // guarded by the register under test
  private final List<Request> requests = new ArrayList<>();

  /** A request on a thread of its own. */
  private static final class Request extends FutureTask<Integer> {

    private final Thread thread = new Thread(this, "request");

    Request(Callable<Integer> work) {
      super(work);
      thread.setDaemon(true);
      thread.start();
    }

    void awaitQueued() {
      await().until(() -> thread.getState() == WAITING);
    }

    int result() throws Exception {
      return get(20, TimeUnit.SECONDS);
    }
  }

  @AfterEach
  void noRequestIsLeft() throws InterruptedException {
    for (Request request : requests) {
      request.thread.join(20_000);
      assertThat(request.thread.isAlive()).isFalse();
    }
  }

  private static FencingToken token(long number) {
    return new FencingToken(PATH, number);
  }

  private int write(FencedRegister register, long number, String what) throws InterruptedException {
    return register.call(
        PATH,
        token(number),
        () -> {
          written.add(what);
          return written.size();
        });
  }

  private Request request(Callable<Integer> work) {
    Request request = new Request(work);
    requests.add(request);
    return request;
  }

  /** Work that goes on until the test opens its gate. */
  private Request slowWrite(long number, String what, CountDownLatch gate) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    Request request =
        request(
            () ->
                many.call(
                    PATH,
                    token(number),
                    () -> {
                      running.countDown();
                      gate.await();
                      written.add(what);
                      return written.size();
                    }));
    assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
    return request;
  }

  @Test
  void aHolderWritesAsOftenAsItLikesUntilANewerOneComes() throws Exception {
    assertThat(write(many, 33, "a")).isEqualTo(1);
    assertThat(write(many, 33, "b")).isEqualTo(2);
    assertThat(write(many, 34, "c")).isEqualTo(3);

    assertThatThrownBy(() -> write(many, 33, "late"))
        .asInstanceOf(type(StaleFencingTokenException.class))
        .satisfies(
            stale -> {
              assertThat(stale.lockPath()).isEqualTo(PATH);
              assertThat(stale.presentedToken()).isEqualTo(33);
              assertThat(stale.storedToken()).isEqualTo(34);
              assertThat(stale).hasMessageContainingAll(PATH, "33", "34", "acquire it again");
            });
    assertThat(written).containsExactly("a", "b", "c");
    assertThat(write(many, 34, "d")).isEqualTo(4);
  }

  @Test
  void underTheStrictPolicyATokenWritesOnce() throws Exception {
    write(once, 33, "a");

    assertThatThrownBy(() -> write(once, 33, "again"))
        .asInstanceOf(type(StaleFencingTokenException.class))
        .satisfies(
            used -> {
              assertThat(used.presentedToken()).isEqualTo(used.storedToken()).isEqualTo(33);
              assertThat(used).hasMessageContaining("has had its one write");
            });
    assertThatThrownBy(() -> write(once, 32, "late"))
        .isInstanceOf(StaleFencingTokenException.class);
    write(once, 34, "b");
    assertThat(written).containsExactly("a", "b");
  }

  @Test
  void aTokenThatWasRequiredBeforeTheReadTakesTheOlderHolderOut() throws Exception {
    many.require(PATH, token(33));
    many.require(PATH, token(34));

    assertThatThrownBy(() -> write(many, 33, "late"))
        .isInstanceOf(StaleFencingTokenException.class);
    assertThatThrownBy(() -> many.require(PATH, token(33)))
        .isInstanceOf(StaleFencingTokenException.class);
    assertThat(many.offer(PATH, token(33))).isFalse();
    assertThat(many.offer(PATH, token(34))).isTrue();
    assertThat(once.offer(PATH, token(34))).isTrue();
    assertThat(once.offer(PATH, token(34))).isFalse();
    assertThat(written).isEmpty();
  }

  @Test
  void tokensOfTwoLocksDoNotMeet() throws Exception {
    many.require(PATH, token(34));
    FencingToken scanner = new FencingToken(OTHER, 33);
    many.require(OTHER, scanner);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> many.call(PATH, scanner, () -> written.add("of another lock")))
        .withMessageContainingAll(scanner.toString(), PATH);
    assertThatIllegalArgumentException().isThrownBy(() -> many.offer(PATH, scanner));
    assertThat(written).isEmpty();
    assertThat(many.highest(PATH)).contains(token(34));
    assertThat(many.highest(OTHER)).contains(scanner);
    assertThat(many.highest("/locks/none")).isEmpty();
  }

  @Test
  void whatTheWorkThrowsPassesAndTheTokenStaysAccepted() throws Exception {
    for (FencedRegister register : List.of(many, once)) {
      assertThatThrownBy(
              () ->
                  register.call(
                      PATH,
                      token(34),
                      () -> {
                        throw new IOException("printer on fire");
                      }))
          .isExactlyInstanceOf(IOException.class);

      assertThat(register.offer(PATH, token(33))).isFalse();
      assertThat(register.offer(PATH, token(34))).isEqualTo(register == many);
      assertThat(register.offer(PATH, token(35))).isTrue();
    }
  }

  @Test
  void aNewerHolderWaitsForWorkThatHasPassedTheCheck() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Request older = slowWrite(33, "older", gate);
    Request newer = request(() -> write(many, 34, "newer"));
    Request raise = request(() -> many.offer(PATH, token(34)) ? 1 : 0);
    newer.awaitQueued();
    raise.awaitQueued();
    assertThat(many.highest(PATH)).contains(token(33));

    gate.countDown();

    assertThat(older.result()).isEqualTo(1);
    assertThat(newer.result()).isEqualTo(2);
    assertThat(raise.result()).isEqualTo(1);
    assertThat(written).containsExactly("older", "newer");
  }

  @Test
  void aRequestThatBecameStaleWhileItWaitedIsRefused() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Request first = slowWrite(33, "first", gate);
    Request newer = request(() -> write(many, 34, "newer"));
    newer.awaitQueued();
    Request older = request(() -> write(many, 33, "late"));
    older.awaitQueued();

    gate.countDown();

    assertThat(first.result()).isEqualTo(1);
    assertThat(newer.result()).isEqualTo(2);
    assertThatThrownBy(older::result).hasCauseInstanceOf(StaleFencingTokenException.class);
    assertThat(written).containsExactly("first", "newer");
  }

  @Test
  void aStaleRequestAndOneForAnotherLockDoNotWait() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Request slow = slowWrite(34, "slow", gate);

    assertThat(request(() -> many.offer(PATH, token(33)) ? 1 : 0).result()).isZero();
    FencingToken other = new FencingToken(OTHER, 1);
    assertThat(request(() -> many.call(OTHER, other, () -> 7)).result()).isEqualTo(7);

    assertThat(slow.isDone()).isFalse();
    gate.countDown();
  }

  @Test
  void anInterruptedRequestStopsWaitingAndDoesNothing() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Request slow = slowWrite(33, "slow", gate);
    Request waiting = request(() -> write(many, 34, "interrupted"));
    waiting.awaitQueued();

    waiting.thread.interrupt();

    assertThatThrownBy(waiting::result).hasCauseInstanceOf(InterruptedException.class);
    assertThat(many.highest(PATH)).contains(token(33));
    gate.countDown();
    slow.result();
    assertThat(written).containsExactly("slow");
  }

  @Test
  void workMayCallTheRegisterAgainButNotWithANewerToken() throws Exception {
    many.call(
        PATH,
        token(33),
        () -> {
          write(many, 33, "inner");
          assertThatThrownBy(() -> write(many, 34, "newer"))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContainingAll(token(34).toString(), "33");
          assertThatThrownBy(() -> many.forget(token(33)))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining(token(33).toString());
          return written.add("outer");
        });

    assertThat(written).containsExactly("inner", "outer");
    assertThat(request(() -> write(many, 34, "newer")).result()).as("free again").isEqualTo(3);
  }

  @Test
  void anEmptyRegisterAcceptsAnythingAndARestoredOneDoesNot() throws Exception {
    String kept = token(34).toString();
    assertThat(many.offer(PATH, token(33))).as("a restart forgets").isTrue();

    for (FencedRegister register : List.of(many, once)) {
      register.restore(FencingToken.parse(kept));
      register.restore(token(20));

      assertThat(register.highest(PATH)).contains(token(34));
      assertThat(register.offer(PATH, token(33))).isFalse();
      assertThat(register.offer(PATH, token(34))).isEqualTo(register == many);
      assertThat(register.offer(PATH, token(35))).isTrue();
    }
  }

  @Test
  void onlyWhatIsNamedExactlyIsForgotten() throws Exception {
    assertThat(many.forget(token(33))).isFalse();
    many.require(PATH, token(34));
    assertThat(many.forget(token(33))).isFalse();
    assertThat(many.forget(token(35))).isFalse();
    assertThat(many.offer(PATH, token(33))).isFalse();

    assertThat(many.forget(token(34))).isTrue();

    assertThat(many.highest(PATH)).isEmpty();
    assertThat(many.offer(PATH, token(1))).isTrue();
  }

  @Test
  void whoWaitedWhileItsLockPathWasForgottenIsCheckedAgainstWhatCameSince() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Request slow = slowWrite(33, "slow", gate);
    Request forgetting = request(() -> many.forget(token(33)) ? 1 : 0);
    forgetting.awaitQueued();
    Request waiting = request(() -> write(many, 33, "waited"));
    waiting.awaitQueued();

    gate.countDown();

    assertThat(slow.result()).isEqualTo(1);
    assertThat(forgetting.result()).isEqualTo(1);
    assertThat(waiting.result()).isEqualTo(2);
    assertThat(many.highest(PATH)).as("in the entry that counts").contains(token(33));
  }

  @Test
  void manyThreadsNeverRunWorkTogetherNorBehindANewerToken() throws Exception {
    AtomicBoolean busy = new AtomicBoolean();
    List<Long> tokens = new ArrayList<>(); // guarded by the register under test
    List<Request> threads = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      long first = 1L + thread;
      threads.add(
          request(
              () -> {
                int accepted = 0;
                for (long number = first; number <= 4_000; number += 4) {
                  accepted += append(busy, tokens, number);
                }
                return accepted;
              }));
    }
    int accepted = 0;
    for (Request thread : threads) {
      accepted += thread.result();
    }

    assertThat(tokens).hasSize(accepted).isSorted().doesNotHaveDuplicates().endsWith(4_000L);
  }

  private int append(AtomicBoolean busy, List<Long> tokens, long number)
      throws InterruptedException {
    try {
      return once.call(
          PATH,
          token(number),
          () -> {
            if (!busy.compareAndSet(false, true)) {
              throw new IllegalStateException("two at once");
            }
            for (int i = 0; i < 1_000; i++) {
              Thread.onSpinWait(); // Time for whoever was let in as well.
            }
            tokens.add(number);
            busy.set(false);
            return 1;
          });
    } catch (StaleFencingTokenException stale) {
      return 0;
    }
  }
}
