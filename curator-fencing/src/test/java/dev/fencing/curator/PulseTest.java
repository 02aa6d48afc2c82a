package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The heart of all locks of a JVM. */
class PulseTest {

  @Test
  void errorOfOneListenerStopsNeitherTheOthersNorTheHeart() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(2);
    Pulse.Listener bad =
        gap -> {
          failed.countDown();
          throw new LinkageError("on purpose");
        };
    Pulse.add(bad);
    assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
    CountDownLatch heard = new CountDownLatch(2);
    Pulse.Listener good = gap -> heard.countDown();
    Pulse.add(good);

    assertThat(heard.await(20, TimeUnit.SECONDS)).isTrue();

    Pulse.remove(bad);
    Pulse.remove(good);
  }
}
