package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.DelayingProxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DelayingProxyTest {

  private static final Duration ONE_WAY = Duration.ofMillis(100);

  /** More than the proxy takes at once, so that it is under way in at least twenty pieces. */
  private static final int LENGTH = 20 * 64 * 1024;

  @Test
  void delaysEveryByteButLetsThemBeUnderWayTogether() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket listener = new ServerSocket(0, 1, loopback);
        DelayingProxy proxy = DelayingProxy.to(listener.getLocalPort(), ONE_WAY);
        Socket client = connect(proxy);
        Socket server = listener.accept()) {
      byte[] sent = new byte[LENGTH];
      new Random(1).nextBytes(sent);
      long start = System.nanoTime();
      client.getOutputStream().write(sent);
      byte[] received = server.getInputStream().readNBytes(LENGTH);
      server.getOutputStream().write(7);
      int answer = client.getInputStream().read();
      Duration took = Duration.ofNanos(System.nanoTime() - start);

      assertThat(received).isEqualTo(sent);
      assertThat(answer).isEqualTo(7);
      assertThat(took).isBetween(ONE_WAY.multipliedBy(2), ONE_WAY.multipliedBy(10));
      client.shutdownOutput();
      assertThat(server.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void endsAConnectionThatTheServerRefuses() throws Exception {
    int deaf;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      deaf = closed.getLocalPort();
    }
    try (DelayingProxy proxy = DelayingProxy.to(deaf, ONE_WAY);
        Socket client = connect(proxy)) {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static Socket connect(DelayingProxy proxy) throws Exception {
    String address = proxy.address();
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }
}
