package dev.fencing.examples.comparison.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
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
  void startsAProgramWhoseNameHasBlanks(@TempDir Path directory) throws Exception {
    Path program = Files.createDirectory(directory.resolve("my own")).resolve("redis");
    Files.createSymbolicLink(program, Path.of("/bin/false"));
    Path here = Path.of("").toAbsolutePath();
    for (Path given : List.of(program, here.relativize(program))) {
      try (Servers servers = Servers.open(0, given.toString())) {
        assertThatThrownBy(servers::redis).hasMessageContaining("it ended with exit code 1");
      }
    }
  }

  @Test
  void saysThatThereIsNoSuchProgram() throws Exception {
    try (Servers servers = Servers.open(0, "/none/redis-server")) {
      assertThatThrownBy(servers::redis)
          .isInstanceOf(ServerException.class)
          .hasMessageStartingWith("redis did not start: ")
          .hasMessageContaining("/none/redis-server")
          .hasMessageContaining("No such file");
    }
  }

  @Test
  void tellsThatTheDatabaseHasEnded() throws Exception {
    try (Servers servers = Servers.open()) {
      String url = servers.postgres();
      assertThat(servers.failure()).isNull();
      String port = url.replaceAll(".*:([0-9]+)/.*", "$1");
      kill(postmaster(servers));
      await()
          .atMost(BOUND)
          .until(() -> String.valueOf(servers.failure()).startsWith("PostgreSQL on port " + port));
    }
  }

  @Test
  void leavesNothingBehindWhenTheProcessOfTheServersIsKilled() throws Exception {
    Servers servers = Servers.open();
    try {
      servers.postgres();
      ProcessHandle redis = ProcessHandle.of(servers.redis().pid()).orElseThrow();
      ProcessHandle postmaster = postmaster(servers);
      Process worker = new ProcessBuilder("sleep", "600").start();
      servers.watch(worker.pid());
      ProcessHandle.current()
          .children()
          .filter(
              child ->
                  child.info().commandLine().orElse("").contains(servers.directory().toString()))
          .forEach(ServersTest::kill);
      await()
          .atMost(BOUND)
          .until(() -> "the process of the servers has ended on its own".equals(servers.failure()));
      servers.close();
      assertThat(List.of(redis, postmaster, worker.toHandle())).noneMatch(ProcessHandle::isAlive);
      assertThat(servers.directory()).doesNotExist();
    } finally {
      servers.close();
    }
  }

  private static ProcessHandle postmaster(Servers servers) throws IOException {
    Path file = servers.directory().resolve("postgres").resolve("postmaster.pid");
    return ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).strip())).orElseThrow();
  }

  private static void kill(ProcessHandle process) {
    process.destroyForcibly();
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
