package dev.fencing.examples.comparison.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("thorough")
class ServersTest {

  private static final Duration BOUND = Duration.ofSeconds(30);

  @Test
  void saysThatARedisCannotStart() throws Exception {
    try (Servers servers = Servers.open(0, "/bin/false")) {
      assertThatThrownBy(servers::redis)
          .isInstanceOf(ServerException.class)
          .hasMessageStartingWith("redis did not start on port ")
          .hasMessageContaining("it ended with exit code 1");
    }
  }

  @Test
  void saysThatAPortIsInUse() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Servers servers = Servers.open(socket.getLocalPort(), "")) {
      assertThatThrownBy(servers::redis)
          .isInstanceOf(ServerException.class)
          .hasMessageStartingWith("redis did not start on port " + socket.getLocalPort())
          .hasMessageContaining("in use");
    }
  }

  @Test
  void tellsAServerThatEndedOnItsOwnFromOneThatWasEnded() throws Exception {
    try (Servers servers = Servers.open()) {
      servers.end(servers.redis());
      assertThat(servers.failure()).isNull();
      Node redis = servers.redis();
      ProcessHandle.of(redis.pid()).orElseThrow().destroyForcibly();
      String message =
          "Redis on port %d (process %d) has ended in the middle of the run"
              .formatted(redis.port(), redis.pid());
      await().atMost(BOUND).until(() -> message.equals(servers.failure()));
    }
  }

  @Test
  void endsEveryServerAndDeletesTheDirectoryInTheEnd() throws Exception {
    Servers servers = Servers.open();
    ProcessHandle redis = ProcessHandle.of(servers.redis().pid()).orElseThrow();
    assertThat(servers.directory()).isDirectory();
    servers.close();
    assertThat(redis.isAlive()).isFalse();
    assertThat(servers.directory()).doesNotExist();
  }
}
