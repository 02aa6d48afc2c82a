package dev.fencing.harness.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.TcpProxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A run holds back hundreds of requests; none of them may cost the server a connection for good.
 */
class HeldRequestTest {

  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final String REQUEST = "COMMIT";

  @Test
  void heldRequestOfAClientThatWasCutArrivesAndThenItsConnectionEnds() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket listener = new ServerSocket(0, 1, loopback);
        TcpProxy proxy = TcpProxy.to(listener.getLocalPort());
        Socket client = new Socket(loopback, proxy.port());
        Socket server = listener.accept()) {
      server.setSoTimeout((int) BOUND.toMillis());
      Fault held = proxy.hold(REQUEST);
      client.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
      held.await(BOUND);

      held.cutClient();
      held.release();

      byte[] all = server.getInputStream().readAllBytes(); // Fails without an end of the stream.
      assertThat(new String(all, StandardCharsets.US_ASCII)).isEqualTo(REQUEST);
    }
  }
}
