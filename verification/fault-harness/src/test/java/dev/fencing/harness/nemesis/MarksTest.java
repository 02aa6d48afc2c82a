package dev.fencing.harness.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.harness.arm.Mark;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MarksTest {

  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final int SILENCE_MILLIS = 200;

  private @Nullable Marks opened;
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void listen() throws IOException {
    opened = Marks.listen();
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    marks().close();
  }

  @Test
  void aWorkerGoesOnAtOnceWhereNoTrapIsSet() throws Exception {
    Socket worker = worker();

    reach(worker, 0, 0, "after-read");

    assertThat(worker.getInputStream().read()).isEqualTo('g');
  }

  @Test
  void aTrapKeepsTheWorkerUntilItIsLetGo() throws Exception {
    Socket worker = worker();
    Marks.Trap trap = marks().trap(arrival -> arrival.mark() == Mark.AFTER_READ);

    reach(worker, 3, 2, "after-read");
    Arrival arrival = Objects.requireNonNull(trap.await(BOUND));

    assertThat(arrival.worker()).isEqualTo(3);
    assertThat(arrival.lock()).isEqualTo(2);
    assertThat(arrival.session()).isEqualTo("0x1f");
    assertThat(arrival.backend()).isEqualTo(77);
    requireSilence(worker);
    arrival.go();
    assertThat(worker.getInputStream().read()).isEqualTo('g');
  }

  @Test
  void aTrapThatIsClosedLetsGoWhatItHasCaught() throws Exception {
    Socket worker = worker();
    Marks.Trap trap = marks().trap(arrival -> true);
    reach(worker, 0, 0, "idle");
    assertThat(trap.await(BOUND)).isNotNull();

    trap.close();

    assertThat(worker.getInputStream().read()).isEqualTo('g');
  }

  @Test
  void noSecondFaultIsAimedAtAWorkerUntilItIsSpared() throws Exception {
    Socket first = worker();
    Socket second = worker();
    Marks.Trap aimed = marks().aim(arrival -> arrival.lock() == 0);
    reach(first, 5, 0, "after-read");
    assertThat(aimed.await(BOUND)).isNotNull();
    Marks.Trap other = marks().aim(arrival -> arrival.lock() == 1);

    reach(second, 5, 1, "after-read");
    assertThat(second.getInputStream().read()).isEqualTo('g');
    marks().spare(5);
    reach(second, 5, 1, "after-read");

    assertThat(other.await(BOUND)).isNotNull();
  }

  @Test
  void aTrapThatIsClosedSparesTheWorkerThatItWasAimedAt() throws Exception {
    Socket worker = worker();
    try (Marks.Trap aimed = marks().aim(arrival -> true)) {
      reach(worker, 5, 0, "after-read");
      assertThat(aimed.await(BOUND)).isNotNull();
    }
    assertThat(worker.getInputStream().read()).isEqualTo('g');
    Marks.Trap again = marks().aim(arrival -> true);

    reach(worker, 5, 0, "after-read");

    assertThat(again.await(BOUND)).isNotNull();
  }

  private Marks marks() {
    if (opened == null) {
      throw new IllegalStateException("not listening");
    }
    return opened;
  }

  private Socket worker() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), marks().port());
    socket.setSoTimeout((int) BOUND.toMillis());
    sockets.add(socket);
    return socket;
  }

  private static void reach(Socket socket, int worker, int lock, String mark) throws IOException {
    socket
        .getOutputStream()
        .write(
            "%d %d 4711 %s 33 1f 77 0%n"
                .formatted(worker, lock, mark)
                .getBytes(StandardCharsets.US_ASCII));
  }

  private static void requireSilence(Socket socket) throws IOException {
    socket.setSoTimeout(SILENCE_MILLIS);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    socket.setSoTimeout((int) BOUND.toMillis());
  }
}
